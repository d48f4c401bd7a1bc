import { cpSync, linkSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../scripts/lib/paths.mjs'
import { test as base } from './fixtures.ts'

/** Provides the executable of an app that counts as packaged; Electron decides by the file name. */
export const test = base.extend<{ packaged: string }>({
  packaged: async ({ electronPath }, use, info) => {
    const folder = info.outputPath('packaged')
    mirror(path.dirname(electronPath), folder, ({ name }) => name !== 'app' && name !== 'default_app.asar')
    const executable = path.join(folder, 'bridge-inspector')
    linkOrCopy(electronPath, executable)
    symlinkSync(root, path.join(folder, 'resources', 'app'))
    await use(executable)
    rmSync(folder, { recursive: true, force: true })
  },
})

function mirror(from: string, to: string, isWanted: (item: { name: string }) => boolean): void {
  mkdirSync(to, { recursive: true })
  for (const item of readdirSync(from, { withFileTypes: true }).filter(isWanted)) {
    const [source, target] = [path.join(from, item.name), path.join(to, item.name)]
    if (item.isDirectory()) mirror(source, target, isWanted)
    else linkOrCopy(source, target)
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch {
    cpSync(source, target)
  }
}
