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
