import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { readRegularFile } from '../../system/regular-file.ts'

/** What a visitor needs of a data directory. Tokens in it are encrypted. */
const COPIED_FILES = ['settings.json', 'profiles.json', 'vault.json']

/**
 * A private copy of the settings, profiles and encrypted tokens of a data directory, for a program
 * that only reads while another one may hold its lock: whatever the services repair or note down,
 * they do in the copy. `leave` removes it.
 */
export function copyDataDir(dataDir: string): { readonly dataDir: string; remove(): void } {
  const copy = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-'))
  for (const name of COPIED_FILES) {
    const text = textOf(path.join(dataDir, name))
    if (text !== null) writeFileSync(path.join(copy, name), text, { mode: 0o600 })
  }
  return { dataDir: copy, remove: () => rmSync(copy, { recursive: true, force: true }) }
}

function textOf(file: string): string | null {
  try {
    return readRegularFile(file).text
  } catch {
    // It is not there, or not ours to read: the defaults apply.
    return null
  }
}
