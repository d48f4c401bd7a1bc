import { toNonEmptyText, isObject, getMember } from '../json/object.ts'

/** The canvas that the user is writing on. */
interface WritingSurface {
  readonly surfaceId: string
  /** Null if the response does not name the window next to the surface. */
  readonly windowId: string | null
  readonly topicid: string | null
  /** JSON pointer to the id in the response. */
  readonly pointer: string
}

const listMembers = ['surfaces', 'canvases', 'windows']
const singleMembers = ['window', 'surface', 'canvas']
const activeMarks = ['active', 'focused', 'current', 'selected', 'isActive', 'isFocused', 'isCurrent', 'key']

interface Candidate {
  readonly surface: WritingSurface
  readonly isMarked: boolean
  /** True if the surface itself names the window that the response is about. */
  readonly isInWindow: boolean
}

/**
 * Finds the surface in `GET /writing/context`, of which spec §4 shows only `window.topicid`. It may
 * be in the window, in the response itself, or in a list, whose elements may be plain ids. Of
 * several surfaces, the one marked as active is meant or, if none or several are, the only one in
 * the window that `window.windowId` names; otherwise null.
 */
export function findWritingSurface(context: unknown): WritingSurface | null {
  const window = getMember(context, 'window')
  for (const name of singleMembers) {
    const surface = parseSurface(getMember(context, name), `/${name}`, window)
    if (surface) return surface
  }
  const responseSurface = parseSurface(context, '', window)
  if (responseSurface) return responseSurface
  for (const holder of [
    { value: context, path: '' },
    { value: window, path: '/window' },
  ]) {
    for (const name of listMembers) {
      const candidates = entriesOf(getMember(holder.value, name)).flatMap(({ key, value }) => {
        const surface = parseSurface(value, `${holder.path}/${name}/${key}`, window)
        return surface ? [toCandidate(surface, value, window)] : []
      })
      const surface = chooseSurface(candidates)
      if (surface) return surface
    }
  }
  return findNestedSurface(context, window)
}

/** Limits of the search outside the usual places. */
const MAX_DEPTH = 6
const MAX_SURFACES = 50

/** The only surface anywhere in the response, or the only one marked as active. */
function findNestedSurface(context: unknown, window: unknown): WritingSurface | null {
  const all: Candidate[] = []
  const collectSurfaces = (value: unknown, path: string, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || all.length >= MAX_SURFACES) return
    const surfaceId = getText(value, 'surfaceId') ?? getText(getMember(value, 'surface'), 'id')
    if (surfaceId !== null) {
      const getNearbyText = (name: string): string | null => getText(value, name) ?? getText(window, name)
      const pointer = getText(value, 'surfaceId') === null ? `${path}/surface/id` : `${path}/surfaceId`
      const surface = { surfaceId, windowId: getNearbyText('windowId'), topicid: getNearbyText('topicid'), pointer }
      all.push(toCandidate(surface, value, window))
      return
    }
    for (const { key, value: inner } of entriesOf(value)) collectSurfaces(inner, `${path}/${key}`, depth + 1)
  }
  collectSurfaces(context, '', 0)
  return chooseSurface(all)
}

function toCandidate(surface: WritingSurface, value: unknown, window: unknown): Candidate {
  const windowId = getText(window, 'windowId')
  return {
    surface,
    isMarked: activeMarks.some((mark) => getMember(value, mark) === true),
    isInWindow: windowId !== null && getText(value, 'windowId') === windowId,
  }
}

/** Returns the only surface that is marked, in the window, or there at all. */
function chooseSurface(candidates: readonly Candidate[]): WritingSurface | null {
  const marked = candidates.filter(({ isMarked }) => isMarked)
  const remaining = marked.length > 0 ? marked : candidates
  const inWindow = remaining.filter(({ isInWindow }) => isInWindow)
  for (const group of [remaining, inWindow]) {
    const [first] = group
    if (first && new Set(group.map(({ surface }) => surface.surfaceId)).size === 1) return first.surface
  }
  return null
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

/** Finds the id of a canvas in a value. The id of a window is not the id of its canvas. */
function findSurfaceId(value: unknown, path: string): readonly [string | null, string] {
  const surfaceId = getText(value, 'surfaceId')
  if (surfaceId !== null) return [surfaceId, `${path}/surfaceId`]
  return /^\/windows?(\/[^/]+)?$/.test(path) ? [null, path] : [getText(value, 'id'), `${path}/id`]
}

const getText = (value: unknown, name: string): string | null => toNonEmptyText(getMember(value, name))
