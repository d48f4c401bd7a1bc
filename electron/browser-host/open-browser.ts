import { spawn } from 'node:child_process'
import { childEnv } from '../system/child-env.ts'
import { writeKeyFile, type KeyFile } from './key-file.ts'

/** Every browser has started by then. */
const PATIENCE_MS = 60_000

/**
 * Opens `address`, which holds a one-time key, in the user's browser. Best effort: without a browser, the printed address is enough. The
 * key appears in neither arguments nor environment, because what is opened is a file that redirects. Returns a function that removes the
 * file; a minute later, or when the program ends, it is removed anyway.
 */
export function openBrowser(address: string): () => void {
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return () => undefined
  const file = keyFile(address)
  if (!file) return () => undefined
  const { url, remove } = file
  process.once('exit', remove)
  setTimeout(remove, PATIENCE_MS).unref()
  const [command, ...args] = opener(url)
  spawn(command, args, { stdio: 'ignore', detached: true, env: childEnv(process.env) })
    .once('error', remove)
    .unref()
  return remove
}

/** Null if no temporary file can be written. */
function keyFile(address: string): KeyFile | null {
  try {
    return writeKeyFile(address)
  } catch {
    return null
  }
}

function opener(url: string): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', url]
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  return ['xdg-open', url]
}
