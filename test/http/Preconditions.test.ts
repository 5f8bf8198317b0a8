import { dryRunTests } from "./DryRuns.ts"
import { contract } from "./Given.ts"
import { preconditionTests } from "./Preconditions.ts"

contract("preconditions", preconditionTests)
contract("dry runs", dryRunTests)
