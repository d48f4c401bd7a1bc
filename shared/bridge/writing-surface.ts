import { toNonEmptyText, isObject, getMember } from '../json/object.ts'

/** The canvas that is being written on, and where in the answer it was found. */
interface WritingSurface {
  readonly surfaceId: string
  /** Window and study set, if they are next to it. */
  readonly windowId: string | null
  readonly topicid: string | null
  /** JSON pointer to the id. */
  readonly pointer: string
}

const lists = ['surfaces', 'canvases', 'windows']
const single = ['window', 'surface', 'canvas']
const marks = ['active', 'focused', 'current', 'selected', 'isActive', 'isFocused', 'isCurrent', 'key']

/**
 * The surface of `GET /writing/context`, of which spec §4 shows only `window.topicid`: named by the window, by the answer itself, or one
 * of a list, whose elements may be plain ids. Of several, the one marked as active; null if the host does not say which.
 */
export function findWritingSurface(context: unknown): WritingSurface | null {
  const window = getMember(context, 'window')
  for (const name of single) {
    const found = inPlace(getMember(context, name), `/${name}`, window)
    if (found) return found
  }
  const own = inPlace(context, '', window)
  if (own) return own
  for (const holder of [
    { at: context, path: '' },
    { at: window, path: '/window' },
  ]) {
    for (const name of lists) {
      const all = entriesOf(getMember(holder.at, name)).flatMap(({ key, value }) => {
        const found = inPlace(value, `${holder.path}/${name}/${key}`, window)
        return found ? [{ found, marked: marks.some((mark) => getMember(value, mark) === true) }] : []
      })
      const marked = all.filter((one) => one.marked)
      const [only, ...others] = marked.length > 0 ? marked : all
      if (only && others.length === 0) return only.found
    }
  }
  return findNestedSurface(context, window)
}

/** How deep a surface is looked for where none of the usual places names one, and how many are considered. */
const MAX_DEPTH = 6
const MAX_SURFACES = 50

/** The one surface that any object in the answer names, or the one of them that is marked. */
function findNestedSurface(context: unknown, window: unknown): WritingSurface | null {
  const all: { readonly found: WritingSurface; readonly isMarked: boolean }[] = []
  const collect = (value: unknown, path: string, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || all.length >= MAX_SURFACES) return
    const surfaceId = text(value, 'surfaceId') ?? text(getMember(value, 'surface'), 'id')
    if (surfaceId !== null) {
      const beside = (name: string): string | null => text(value, name) ?? text(window, name)
      const pointer = text(value, 'surfaceId') === null ? `${path}/surface/id` : `${path}/surfaceId`
      const found = { surfaceId, windowId: beside('windowId'), topicid: beside('topicid'), pointer }
      all.push({ found, isMarked: marks.some((mark) => getMember(value, mark) === true) })
      return
    }
    for (const { key, value: inner } of entriesOf(value)) collect(inner, `${path}/${key}`, depth + 1)
  }
  collect(context, '', 0)
  const marked = all.filter(({ isMarked }) => isMarked)
  const candidates = marked.length > 0 ? marked : all
  const ids = new Set(candidates.map(({ found }) => found.surfaceId))
  return ids.size === 1 ? (candidates[0]?.found ?? null) : null
}

function entriesOf(list: unknown): { readonly key: string; readonly value: unknown }[] {
  if (!Array.isArray(list) && !isObject(list)) return []
  return Object.entries(list).map(([key, value]: [string, unknown]) => ({ key, value }))
}

function inPlace(place: unknown, path: string, window: unknown): WritingSurface | null {
  const [surfaceId, from] =
    typeof place === 'string'
      ? [place, path]
      : path === ''
        ? [text(place, 'surfaceId'), '/surfaceId']
        : idIn(place, path)
  if (!surfaceId) return null
  const beside = (name: string): string | null => text(place, name) ?? text(window, name)
  return { surfaceId, windowId: beside('windowId'), topicid: beside('topicid'), pointer: from }
}

/** A window is not its surface: its own id is not the id of a canvas. */
function idIn(place: unknown, path: string): readonly [string | null, string] {
  const named = text(place, 'surfaceId')
  if (named !== null) return [named, `${path}/surfaceId`]
  return /^\/windows?(\/[^/]+)?$/.test(path) ? [null, path] : [text(place, 'id'), `${path}/id`]
}

const text = (place: unknown, name: string): string | null => toNonEmptyText(getMember(place, name))
