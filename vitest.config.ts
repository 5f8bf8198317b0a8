import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    reporters: ["default", "./scripts/PlainSummary.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: files run side by side, and the real servers they start need room.
    maxWorkers: 2
  }
})
