import { contract } from "./Given.ts"
import { preconditionTests } from "./Preconditions.ts"

contract("preconditions", preconditionTests)
