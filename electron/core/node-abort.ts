import util from 'node:util'

/** Node's own classes: its interfaces refuse signals of a test's or a DOM library's class. */
const { constructor, signal } = util.transferableAbortController()
export const NodeAbortController = constructor as typeof AbortController
export const NodeAbortSignal = signal.constructor as typeof AbortSignal

/** Creates a request with a signal of Node, which its class refuses if it was loaded after that. */
export function createRequest(url: string | URL, init: RequestInit, requestSignal: AbortSignal): Request {
  return Object.defineProperty(new Request(url, init), 'signal', { value: requestSignal })
}
