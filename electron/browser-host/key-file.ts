import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

export interface KeyFile {
  /** Its address as a `file:` URL, which holds no key. */
  readonly url: string
  /** Removes it with its folder; more than once does no harm. */
  remove(): void
}

/**
 * Writes a page that leads on to `address`. A program that opens an address is given it as an argument, which every user of the
 * machine can read; this file only its owner can. Folder (mode 700, unpredictable name) and file (600) are made anew.
 */
export function writeKeyFile(address: string, parent = os.tmpdir()): KeyFile {
  const folder = mkdtempSync(path.join(parent, 'bridge-inspector-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const file = path.join(folder, 'open.html')
    const handle = openSync(file, 'wx', 0o600)
    try {
      writeFileSync(handle, page(new URL(address).href))
    } finally {
      closeSync(handle)
    }
    return { url: pathToFileURL(file).href, remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** Runs nothing and loads nothing; the link is for a browser that does not move on by itself. */
const page = (address: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${attribute(address)}">
<title>Bridge Inspector</title>
<p><a href="${attribute(address)}">Bridge Inspector</a></p></html>
`

const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
