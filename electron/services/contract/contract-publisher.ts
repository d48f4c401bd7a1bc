import type { Bus } from '../bus.ts'
import type { ContractSummary } from './contract-judge.ts'

/** The shortest interval between two messages to the pages. */
const PUBLISH_INTERVAL_MS = 500

/** Returns a function that tells the pages the last of the summaries that it is given. */
export function createContractPublisher(bus: Bus): (summary: ContractSummary) => void {
  let timer: NodeJS.Timeout | null = null
  let lastSummary: ContractSummary = { total: 0, newCount: 0 }
  return (summary) => {
    lastSummary = summary
    timer ??= setTimeout(() => {
      timer = null
      bus.publish('contract.changed', lastSummary)
    }, PUBLISH_INTERVAL_MS).unref()
  }
}
