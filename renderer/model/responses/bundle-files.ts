import { isObject } from '../../../shared/json/object.ts'

/** Most files of a bundle, and deepest nesting of folders. */
const MAX_FILES = 10_000
const MAX_DEPTH = 32

const pathNames = ['path', 'relativePath', 'filePath', 'file', 'filename', 'fileName', 'name']
const listNames = ['files', 'children', 'items', 'entries']
/** Members of an answer that are not file names. */
const others = new Set(['bridgeApiVersion', 'warnings', 'error'])

/**
 * The paths of the files in a listing of `GET /bundles/{id}/files` without `path`, whose shape is not shown (observed §7): a list of paths
 * or of objects that hold one, folders with what is in them, or an object whose names are the paths; each once.
 */
export function parseBundleFilePaths(answer: unknown): readonly string[] {
  const found = new Set<string>()
  collect(Array.isArray(answer) ? answer : listIn(answer), '', 0, found)
  return [...found]
}

/** The list in an answer, whatever its name; an object with sizes or details by path counts as well. */
function listIn(answer: unknown): unknown {
  if (!isObject(answer)) return []
  const named = listNames.map((name) => answer[name]).find((list) => Array.isArray(list) || isObject(list))
  if (named !== undefined) return named
  const members = Object.entries(answer).filter(([name]) => !others.has(name))
  const lists = members.filter(([, value]) => Array.isArray(value))
  if (lists.length > 0) return lists.find(([, list]) => Array.isArray(list) && list.length > 0)?.[1] ?? []
  return Object.fromEntries(members.filter(([name]) => /[./]/.test(name)))
}

function collect(list: unknown, folder: string, depth: number, found: Set<string>): void {
  if (depth > MAX_DEPTH) return
  const add = (path: string): void => {
    if (path !== '' && found.size < MAX_FILES) found.add(folder === '' ? path : `${folder}/${path}`)
  }
  if (isObject(list)) {
    for (const path of Object.keys(list)) add(path)
    return
  }
  for (const entry of Array.isArray(list) ? (list as unknown[]) : []) {
    if (typeof entry === 'string') add(entry)
    if (!isObject(entry)) continue
    const path = pathNames.map((name) => entry[name]).find((one) => typeof one === 'string' && one !== '')
    const inside = listNames.map((name) => entry[name]).find(Array.isArray)
    if (inside === undefined) add(typeof path === 'string' ? path : '')
    else collect(inside, [folder, typeof path === 'string' ? path : ''].filter(Boolean).join('/'), depth + 1, found)
  }
}
