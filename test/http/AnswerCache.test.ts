import { answerCacheTests } from "./AnswerCache.ts"
import { contract } from "./Given.ts"

contract("answers that are given again", answerCacheTests)
