import { existsSync } from 'node:fs'
import path from 'node:path'

export interface SourceRoots {
  /** The folder that `--source-root` names; null without it. */
  readonly sourceRoot: string | null
  /** The folder that the panel was served from; null if unknown. */
  readonly panelFolder: string | null
  readonly workingDir: string
}

const MAX_PARENTS = 20

/**
 * Finds the file of a source that a panel's stack or source map names.
 * @param source path on the panel's origin, or a name in a source map
 * @returns a path relative to the working directory, with `/`; never one that leads out of it
 */
export function locateSource(source: string, { sourceRoot, panelFolder, workingDir }: SourceRoots): string {
  const isWindowsPath = /^\/?[a-z]:[/\\]/i.test(source)
  const name = source.replace(/^file:\/\//, '').replaceAll('\\', '/')
  const absolute = path.relative(workingDir, isWindowsPath ? name.replace(/^\//, '') : name)
  if (path.isAbsolute(name) && isInside(absolute) && existsSync(path.join(workingDir, absolute))) return toUrl(absolute)
  // The path of a URL is below its origin, whatever dots it has.
  const relative = path.posix.normalize(`/${name.replace(/^[a-z]:/i, '')}`).slice(1)
  const roots = sourceRoot === null ? listRoots(panelFolder, workingDir) : [path.resolve(workingDir, sourceRoot)]
  const root = roots.find((folder) => existsSync(path.join(folder, relative))) ?? roots[0] ?? workingDir
  const located = path.relative(workingDir, path.join(root, relative))
  return toUrl(isInside(located) ? located : relative)
}

/** A bundler writes beside the folder of its sources, so the folders above are searched, too. */
function listRoots(panelFolder: string | null, workingDir: string): string[] {
  const roots = [workingDir]
  for (let folder = panelFolder; folder !== null && roots.length < MAX_PARENTS; folder = path.dirname(folder)) {
    const relative = path.relative(workingDir, folder)
    if (relative === '' || !isInside(relative)) break
    roots.push(folder)
  }
  return roots
}

/** Returns the path from the working directory, or the name alone of a file outside of it. */
export function locateFile(file: string, workingDir: string): string {
  const relative = path.relative(workingDir, path.resolve(workingDir, file))
  return isInside(relative) ? toUrl(relative) : path.basename(file)
}

const isInside = (relative: string): boolean =>
  relative !== '' && !path.isAbsolute(relative) && relative.split(/[/\\]/)[0] !== '..'

const toUrl = (relative: string): string => relative.split(path.sep).join('/')
