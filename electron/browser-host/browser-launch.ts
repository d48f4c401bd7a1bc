import { spawn } from 'node:child_process'
import { createChildEnv } from '../system/child-env.ts'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

interface KeyFile {
  /** The address of the file that redirects, so it contains no key. */
  readonly url: string
  /** Removes the file with its folder; may be called more than once. */
  remove(): void
}

/**
 * Writes a page that redirects to `address`. Every user of the machine can read the arguments with
 * which a browser is started, but only the owner can read this file. The folder (mode 700,
 * unpredictable name) and the file (600) are always created anew.
 */
export function writeKeyFile(address: string, parent = os.tmpdir()): KeyFile {
  const folder = mkdtempSync(path.join(parent, 'bridge-inspector-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const file = path.join(folder, 'open.html')
    const handle = openSync(file, 'wx', 0o600)
    try {
      writeFileSync(handle, createRedirectPage(new URL(address).href))
    } finally {
      closeSync(handle)
    }
    return { url: pathToFileURL(file).href, remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** No script, and nothing is loaded. The link is for browsers that do not follow the redirect. */
const createRedirectPage = (address: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${escapeAttribute(address)}">
<title>Bridge Inspector</title>
<p><a href="${escapeAttribute(address)}">Bridge Inspector</a></p></html>
`

const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** The file is deleted after this time, which is enough for any browser to start and read it. */
const KEY_FILE_LIFETIME_MS = 60_000

/**
 * Opens `address`, which holds a one-time key, in the user's browser. A failure is ignored, because
 * the address is also printed. The key appears in neither arguments nor environment, because the
 * browser opens a file that redirects. Returns a function that removes the file; a minute later, or
 * when the program ends, the file is removed anyway.
 */
export function openBrowser(address: string): () => void {
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return () => undefined
  const file = tryWriteKeyFile(address)
  if (!file) return () => undefined
  const { url, remove } = file
  process.once('exit', remove)
  setTimeout(remove, KEY_FILE_LIFETIME_MS).unref()
  const [command, ...args] = getOpenCommand(url)
  spawn(command, args, { stdio: 'ignore', detached: true, env: createChildEnv(process.env) })
    .once('error', remove)
    .unref()
  return remove
}

/** Returns null if no temporary file can be written. */
function tryWriteKeyFile(address: string): KeyFile | null {
  try {
    return writeKeyFile(address)
  } catch {
    return null
  }
}

/** @param url of a file, which no shell sees. */
export function getOpenCommand(url: string, platform = process.platform): [string, ...string[]] {
  if (platform === 'darwin') return ['open', url]
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  return ['xdg-open', url]
}
