import { compareBodies, type CompareReply, type CompareRequest } from './body-comparison.ts'

/** The part of a worker's global scope used here; the page's own types only know `Window`. */
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
