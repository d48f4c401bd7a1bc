import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder that is removed when the test ends. */
export function createTempDir(): string {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
