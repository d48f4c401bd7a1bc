import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { readRegularFile } from '../../system/regular-file.ts'

/** Enough for a program that only reads from hosts. Tokens and keys in them are encrypted. */
const COPIED_FILES = ['settings.json', 'profiles.json', 'vault.json', 'recording-key.json']

/**
 * Makes a private copy of the settings, profiles and encrypted tokens of a data directory. A
 * program that only reads uses the copy while another program may hold the lock, and changes by its
 * services go to the copy. `remove` deletes it.
 */
export function copyDataDir(dataDir: string): { readonly dataDir: string; remove(): void } {
  const copyDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-'))
  for (const name of COPIED_FILES) {
    const text = readTextOrNull(path.join(dataDir, name))
    if (text !== null) writeFileSync(path.join(copyDir, name), text, { mode: 0o600 })
  }
  return { dataDir: copyDir, remove: () => rmSync(copyDir, { recursive: true, force: true }) }
}

function readTextOrNull(file: string): string | null {
  try {
    return readRegularFile(file).text
  } catch {
    // The file is absent or unreadable, so the defaults apply.
    return null
  }
}
