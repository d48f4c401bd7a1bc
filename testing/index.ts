import { startServedRecording } from '../electron/demo-host/recorded/recorded-host.ts'
import type * as api from './api.ts'
import { parseFault } from './demo-host.ts'
import { checkOptions, toFilePath } from './options.ts'

export const serveRecording: typeof api.serveRecording = async (file, options = {}) => {
  checkOptions('serveRecording', options)
  const { fault = null, ...rest } = options
  const { log, setFault, ...served } = await startServedRecording(toFilePath(file), {
    ...rest,
    fault: parseFault(fault),
  })
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
