import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServedRecording } from '../electron/demo-host/recorded/recorded-host.ts'
import type * as api from './api.ts'
import { parseFault } from './demo-host.ts'
import { checkOptions } from './options.ts'

export const serveRecording: typeof api.serveRecording = async (file, options = {}) => {
  checkOptions('serveRecording', options)
  const text = String(file)
  const filePath = text.startsWith('file:') ? fileURLToPath(text) : path.resolve(text)
  const { fault = null, ...rest } = options
  const { log, setFault, ...served } = await startServedRecording(filePath, { ...rest, fault: parseFault(fault) })
  return {
    ...served,
    requests: () => [...log],
    setFault: (name) => setFault(parseFault(name)),
  }
}
