import { classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'
import { getIdKind, type IdKind } from '../../../shared/bridge/id-kinds.ts'
import { lookUp } from '../../../shared/json/object.ts'
import { findPastedId } from '../lens/pasted-id.ts'

/** A part of a request path. The texts of all parts, one after the other, are the path. */
export interface PathPiece {
  readonly text: string
  /** `id` names an object, `route` says what is done, `query` follows the question mark. */
  readonly role: 'route' | 'id' | 'query'
  /** The decoded id; empty for other parts. */
  readonly id: string
  readonly kind: IdKind | null
}

/** Query parameters whose value is an id, in lower case, beside those named like members. */
const kindsByParameter: Readonly<Record<string, IdKind>> = { root: 'card', studyset: 'studySet' }

/** Some requests are recorded with the path of the base URL. */
const basePathPattern = /^\/(?:[^?]*\/)?bridge\/v1(?=\/)/

/** Longer paths are shown without their ids being told apart. */
const MAX_SPLIT_CHARS = 2_000

/** Splits a path, with or without a query, where ids of objects begin and end. */
export function splitRequestPath(method: string, path: string): readonly PathPiece[] {
  if (path.length > MAX_SPLIT_CHARS) return [{ text: path, role: 'route', id: '', kind: null }]
  const questionMark = path.indexOf('?')
  const bare = questionMark < 0 ? path : path.slice(0, questionMark)
  const pieces: PathPiece[] = []
  const add = (text: string, role: PathPiece['role'], kind: IdKind | null = null): void => {
    const last = pieces.at(-1)
    if (role !== 'id' && last?.role === role) pieces[pieces.length - 1] = { ...last, text: last.text + text }
    else if (text !== '') pieces.push({ text, role, id: role === 'id' ? decodePercent(text) : '', kind })
  }
  const prefix = basePathPattern.exec(bare)?.[0] ?? ''
  const relativePath = bare.slice(prefix.length)
  add(prefix, 'route')
  const segments = relativePath.split('/')
  const templateSegments = classifyRequest(method, relativePath).endpoint?.path.split('/') ?? []
  segments.forEach((segment, index) => {
    if (index > 0) add('/', 'route')
    const kind = findSegmentKind(segment, segments[index - 1] ?? '', templateSegments[index])
    add(segment, kind === null ? 'route' : 'id', kind)
  })
  if (questionMark < 0) return pieces
  const parameters = path.slice(questionMark + 1).split('&')
  parameters.forEach((parameter, index) => {
    add(index === 0 ? '?' : '&', 'query')
    const equals = parameter.indexOf('=')
    const name = decodePercent(parameter.slice(0, Math.max(0, equals)))
    const kind = lookUp(kindsByParameter, name.toLowerCase()) ?? getIdKind(name, '')
    add(parameter.slice(0, equals + 1), 'query')
    add(parameter.slice(equals + 1), kind === null ? 'query' : 'id', kind)
  })
  return pieces
}

/** @param templateSegment undefined for a route that is not in the contract */
function findSegmentKind(segment: string, container: string, templateSegment: string | undefined): IdKind | null {
  const placeholder = /^\{(.+)\}$/.exec(templateSegment ?? '')?.[1]
  if (placeholder !== undefined) return getIdKind(placeholder, container)
  const isCertain = templateSegment === undefined && findPastedId(decodePercent(segment))?.isCertain === true
  return isCertain ? getIdKind('id', container) : null
}
