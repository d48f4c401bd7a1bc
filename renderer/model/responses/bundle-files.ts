import { isObject } from '../../../shared/json/object.ts'

/** Further files and deeper folders are not listed. */
const MAX_FILES = 10_000
const MAX_DEPTH = 32

const pathNames = ['path', 'relativePath', 'filePath', 'file', 'filename', 'fileName', 'name']
const listNames = ['files', 'children', 'items', 'entries']
/** These members of a response are not file names. */
const envelopeMembers = new Set(['bridgeApiVersion', 'warnings', 'error'])

/**
 * Reads the file paths from a response of `GET /bundles/{id}/files` without `path`. The contract
 * does not show the shape (observed §7), so several are accepted: a list of paths, a list of
 * objects with paths, nested folders, or an object with paths as names. Duplicates are removed.
 * @returns null if no list is found, or a list without any path in its entries
 */
export function parseBundleFilePaths(response: unknown): readonly string[] | null {
  const paths = new Set<string>()
  const list = Array.isArray(response) ? response : findList(response)
  collectPaths(list, '', 0, paths)
  return paths.size > 0 || isEmptyList(list) ? [...paths] : null
}

const isEmptyList = (list: unknown): boolean =>
  Array.isArray(list) ? list.length === 0 : isObject(list) && Object.keys(list).length === 0

/** Finds the list under any name. An object whose member names are paths counts as a list. */
function findList(response: unknown): unknown {
  if (!isObject(response)) return null
  const knownList = listNames.map((name) => response[name]).find((list) => Array.isArray(list) || isObject(list))
  if (knownList !== undefined) return knownList
  const members = Object.entries(response).filter(([name]) => !envelopeMembers.has(name))
  const lists = members.filter(([, value]) => Array.isArray(value))
  if (lists.length > 0) return lists.find(([, list]) => Array.isArray(list) && list.length > 0)?.[1] ?? []
  const files = members.filter(([name]) => /[./]/.test(name))
  return files.length === 0 ? null : Object.fromEntries(files)
}

function collectPaths(list: unknown, folder: string, depth: number, paths: Set<string>): void {
  if (depth > MAX_DEPTH) return
  const addPath = (path: string): void => {
    if (path !== '' && paths.size < MAX_FILES) paths.add(folder === '' ? path : `${folder}/${path}`)
  }
  if (isObject(list)) {
    for (const path of Object.keys(list)) addPath(path)
    return
  }
  for (const entry of Array.isArray(list) ? (list as unknown[]) : []) {
    if (typeof entry === 'string') addPath(entry)
    if (!isObject(entry)) continue
    const path = pathNames
      .map((name) => entry[name])
      .find((candidate) => typeof candidate === 'string' && candidate !== '')
    const entries = listNames.map((name) => entry[name]).find(Array.isArray)
    if (entries === undefined) addPath(typeof path === 'string' ? path : '')
    else
      collectPaths(entries, [folder, typeof path === 'string' ? path : ''].filter(Boolean).join('/'), depth + 1, paths)
  }
}
