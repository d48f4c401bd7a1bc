import { spawn } from 'node:child_process'
import { childEnv } from '../../shared/child-env.ts'
import { writeKeyFile, type KeyFile } from './key-file.ts'

/** By then every browser has started. */
const PATIENCE_MS = 60_000

/**
 * Opens `address`, which holds a one-time key, in the person's browser; best effort: where there is no browser, the printed address
 * is enough. The key reaches neither arguments nor environment: what is opened is a file that leads on. Returns what
 * removes that file; a minute and the end of the program do it as well.
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

/** Null where there is no room for a temporary file. */
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
