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

const listMembers = ['surfaces', 'canvases', 'windows']
const singleMembers = ['window', 'surface', 'canvas']
const activeMarks = ['active', 'focused', 'current', 'selected', 'isActive', 'isFocused', 'isCurrent', 'key']

/**
 * The surface of `GET /writing/context`, of which spec §4 shows only `window.topicid`: named by the window, by the answer itself, or one
 * of a list, whose elements may be plain ids. Of several, the one marked as active; null if the host does not say which.
 */
export function findWritingSurface(context: unknown): WritingSurface | null {
  const window = getMember(context, 'window')
  for (const name of singleMembers) {
    const surface = parseSurface(getMember(context, name), `/${name}`, window)
    if (surface) return surface
  }
  const own = parseSurface(context, '', window)
  if (own) return own
  for (const holder of [
    { value: context, path: '' },
    { value: window, path: '/window' },
  ]) {
    for (const name of listMembers) {
      const all = entriesOf(getMember(holder.value, name)).flatMap(({ key, value }) => {
        const surface = parseSurface(value, `${holder.path}/${name}/${key}`, window)
        return surface ? [{ surface, isMarked: activeMarks.some((mark) => getMember(value, mark) === true) }] : []
      })
      const marked = all.filter((candidate) => candidate.isMarked)
      const [only, ...others] = marked.length > 0 ? marked : all
      if (only && others.length === 0) return only.surface
    }
  }
  return findNestedSurface(context, window)
}

/** How deep a surface is looked for where none of the usual places names one, and how many are considered. */
const MAX_DEPTH = 6
const MAX_SURFACES = 50

/** The one surface that any object in the answer names, or the one of them that is marked. */
function findNestedSurface(context: unknown, window: unknown): WritingSurface | null {
  const all: { readonly surface: WritingSurface; readonly isMarked: boolean }[] = []
  const collectSurfaces = (value: unknown, path: string, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || all.length >= MAX_SURFACES) return
    const surfaceId = getText(value, 'surfaceId') ?? getText(getMember(value, 'surface'), 'id')
    if (surfaceId !== null) {
      const getNearbyText = (name: string): string | null => getText(value, name) ?? getText(window, name)
      const pointer = getText(value, 'surfaceId') === null ? `${path}/surface/id` : `${path}/surfaceId`
      const surface = { surfaceId, windowId: getNearbyText('windowId'), topicid: getNearbyText('topicid'), pointer }
      all.push({ surface, isMarked: activeMarks.some((mark) => getMember(value, mark) === true) })
      return
    }
    for (const { key, value: inner } of entriesOf(value)) collectSurfaces(inner, `${path}/${key}`, depth + 1)
  }
  collectSurfaces(context, '', 0)
  const marked = all.filter(({ isMarked }) => isMarked)
  const candidates = marked.length > 0 ? marked : all
  const ids = new Set(candidates.map(({ surface }) => surface.surfaceId))
  return ids.size === 1 ? (candidates[0]?.surface ?? null) : null
}

function entriesOf(list: unknown): { readonly key: string; readonly value: unknown }[] {
  if (!Array.isArray(list) && !isObject(list)) return []
  return Object.entries(list).map(([key, value]: [string, unknown]) => ({ key, value }))
}

function parseSurface(value: unknown, path: string, window: unknown): WritingSurface | null {
  const [surfaceId, pointer] =
    typeof value === 'string'
      ? [value, path]
      : path === ''
        ? [getText(value, 'surfaceId'), '/surfaceId']
        : findSurfaceId(value, path)
  if (!surfaceId) return null
  const getNearbyText = (name: string): string | null => getText(value, name) ?? getText(window, name)
  return { surfaceId, windowId: getNearbyText('windowId'), topicid: getNearbyText('topicid'), pointer }
}

/** A window is not its surface: its own id is not the id of a canvas. */
function findSurfaceId(value: unknown, path: string): readonly [string | null, string] {
  const named = getText(value, 'surfaceId')
  if (named !== null) return [named, `${path}/surfaceId`]
  return /^\/windows?(\/[^/]+)?$/.test(path) ? [null, path] : [getText(value, 'id'), `${path}/id`]
}

const getText = (value: unknown, name: string): string | null => toNonEmptyText(getMember(value, name))
