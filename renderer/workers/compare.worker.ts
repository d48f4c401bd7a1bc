import { createBodyComparer, type CompareReply, type CompareRequest, type MembersRequest } from './body-comparison.ts'

/**
 * The members of a worker's global scope that this file uses. The DOM types only describe `Window`.
 */
interface Scope {
  onmessage: ((event: MessageEvent<CompareRequest | MembersRequest>) => void) | null
  postMessage(message: CompareReply): void
}
const scope = self as unknown as Scope

const comparer = createBodyComparer()

scope.onmessage = ({ data }) => {
  try {
    if ('pointer' in data) scope.postMessage({ ok: true, members: comparer.listMembers(data) })
    else scope.postMessage({ ok: true, result: comparer.compare(data) })
  } catch (error) {
    scope.postMessage({ ok: false, message: error instanceof Error ? error.message : String(error) })
  }
}
