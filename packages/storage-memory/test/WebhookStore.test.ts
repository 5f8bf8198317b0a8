import { suite as clocks } from "@lists-and-things/testing/WebhookClocksSuite"
import { suite as deliveries } from "@lists-and-things/testing/WebhookDeliveriesSuite"
import { suite as outcomes } from "@lists-and-things/testing/WebhookOutcomesSuite"
import { suite as webhooks } from "@lists-and-things/testing/WebhookStoreSuite"
import { layer } from "@lists-and-things/storage-memory/MemoryStorage"

webhooks("memory", layer)
deliveries("memory", layer)
outcomes("memory", layer)
clocks("memory", layer)
