import { findNodeProblem } from '../electron/core/node-version.ts'
import type * as api from './api.ts'
import { parseFault } from './demo-host.ts'
import { checkOptions, explainListenError, toFilePath } from './options.ts'

const problem = findNodeProblem(process.versions.node)
if (problem !== null) throw new Error(problem)
// The bundle has Node's own classes from here on, also where a test replaces them later.
void [Headers.prototype, Request.prototype, Response.prototype]

export const serveRecording: typeof api.serveRecording = async (file, options = {}) => {
  checkOptions('serveRecording', options)
  const { fault = null, ...rest } = options
  // Most tests serve no recording, and need not load what replays one.
  const { startServedRecording } = await import('../electron/demo-host/recorded/recorded-host.ts')
  const { log, setFault, ...served } = await startServedRecording(toFilePath(file), {
    ...rest,
    fault: parseFault(fault),
  }).catch(explainListenError)
  return {
    ...served,
    requests: () => [...log],
    setFault: (name) => setFault(parseFault(name)),
    [Symbol.asyncDispose]: served.close,
  }
}

/**
 * The kit for the tests of a plugin: `bridge-inspector/testing`. It runs the services of the app
 * in the test's own process, without a page of ours and without Electron. Read `api.ts` first,
 * which describes it for its users, then `panel.ts`.
 */
export { startDemoHost } from './demo-host.ts'
export { formatFindings, toKeepContract } from './contract-matcher.ts'
export { hostApi } from './host-api.ts'
export { startPanel } from './panel.ts'
export type * from './api.ts'
