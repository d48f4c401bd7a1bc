import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { root } from './paths.mjs'

/**
 * Returns an Electron that runs the folder that it is given, like the official build. A runtime
 * taken from a packaged app has an app of its own in `resources/app`, which runs first: ours would
 * start too late to register its scheme and to enable the sandbox. For such a runtime this builds
 * one from hard links in the project's cache, with an entry that starts in time.
 */
export function ensurePlainElectron(
  executable,
  targetFolder = path.join(root, 'node_modules', '.cache', 'electron-plain'),
) {
  const folder = path.dirname(executable)
  const resources = path.join(folder, 'resources')
  if (!existsSync(path.join(resources, 'app')) || existsSync(path.join(resources, 'default_app.asar')))
    return executable
  const { size, mtimeMs } = statSync(executable)
  const stamp = `2 ${executable} ${size} ${mtimeMs}`
  const stampFile = path.join(targetFolder, 'stamp')
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
    rmSync(targetFolder, { recursive: true, force: true })
    mirror(folder, targetFolder)
    const app = path.join(targetFolder, 'resources', 'app')
    rmSync(app, { recursive: true, force: true })
    mkdirSync(app, { recursive: true })
    writeFileSync(path.join(app, 'package.json'), '{ "name": "entry", "main": "entry.mjs" }\n')
    writeFileSync(path.join(app, 'entry.mjs'), entry)
    writeFileSync(stampFile, stamp)
  }
  return path.join(targetFolder, path.basename(executable))
}

/**
 * Puts the same files into another folder, without copying their bytes if the file system allows
 * it.
 */
function mirror(from, to) {
  mkdirSync(to, { recursive: true })
  for (const item of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, item.name), path.join(to, item.name)]
    if (item.isDirectory()) mirror(source, target)
    else {
      try {
        linkSync(source, target)
      } catch {
        cpSync(source, target)
      }
    }
  }
}

// Like the official build's default app, this entry takes the name of a folder's app and loads the
// folder before the app is ready. Asked by `ELECTRON_ENTRY_LINE`, it says that it runs: a start
// that hangs before hung in Electron itself.
const entry = `import { app } from 'electron'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

if (process.env.ELECTRON_ENTRY_LINE) process.stderr.write('The entry runs.\\n')
const given = process.argv.slice(1).find((arg) => !arg.startsWith('-') && existsSync(path.resolve(arg, 'package.json')))
if (!given) {
  console.error('Usage: electron FOLDER-OF-AN-APP')
  app.exit(1)
} else {
  const folder = path.resolve(given)
  const { productName, name, version, main = 'index.js' } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  app.setAppPath(folder)
  app.setName(productName ?? name)
  if (version) app.setVersion(version)
  await import(pathToFileURL(path.join(folder, main)).href)
}
`
