import type { TreeWorker } from '../workers/tree-client.ts'
import type { TreeFinding } from '../workers/tree-protocol.ts'
import { resting } from './resting.ts'

interface Audit {
  /** Pages `from` up to, but not including, `to`. */
  readonly from: number
  readonly to: number
  /** Whether the tree is still the one that is open. */
  isOpen(): boolean
  note(findings: readonly TreeFinding[], total: number): void
}

/**
 * What is left to do once pages are loaded: they are made ready to be searched, and then, while the page rests, checked for what parsing
 * hid. One at a time, so that the place is usable meanwhile. Ends early if the worker does.
 */
export async function auditPages(worker: TreeWorker, { from, to, isOpen, note }: Audit): Promise<void> {
  for (let page = from; page < to; page += 1) {
    const ready = await worker.prepare(page).catch(() => false)
    if (!ready || !isOpen()) return
  }
  for (let page = from; page < to; page += 1) {
    await resting()
    const result = isOpen() ? await worker.audit(page).catch(() => null) : null
    if (!result || !isOpen()) return
    if (result.total > 0) note(result.findings, result.total)
  }
}
