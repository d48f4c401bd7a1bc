import { compareBodies, type CompareReply, type CompareRequest } from './body-comparison.ts'

/**
 * The members of a worker's global scope that this file uses. The DOM types only describe `Window`.
 */
interface Scope {
  onmessage: ((event: MessageEvent<CompareRequest>) => void) | null
  postMessage(message: CompareReply): void
}
const scope = self as unknown as Scope

scope.onmessage = ({ data }) => {
  try {
    scope.postMessage({ ok: true, result: compareBodies(data) })
  } catch (error) {
    scope.postMessage({ ok: false, message: error instanceof Error ? error.message : String(error) })
  }
}
