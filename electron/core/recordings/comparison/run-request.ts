import { isObject, lookUp } from '../../../../shared/json/object.ts'
import { getBodyRule } from '../../redaction/value-rules.ts'
import { isUuid, replaceInnerIds } from '../../redaction/string-shapes.ts'
import { omitVolatileMembers, type RequestMeaning } from '../replay/request-meaning.ts'
import { getParameterKind, mapPlaces, type PlaceKind } from './value-places.ts'

/** A request of a run, as it is aligned with those of another run. */
export interface RunRequest {
  /** Requests of the same kind, whatever they ask for. */
  readonly shape: string
  /** The request without ids and values that differ from run to run. */
  readonly text: string
  /** The ids in the order in which they occur. */
  readonly ids: readonly string[]
  readonly requestId: string | null
  /** It may change the library. */
  readonly isWrite: boolean
  /** Begin and end in milliseconds; the end is infinite if it is unknown. */
  readonly startedAt: number
  readonly endedAt: number
}

interface RequestFacts {
  readonly meaning: RequestMeaning
  readonly startedAt: number
  readonly durationMs: number | null
  /** False if a redaction replaced the texts of one of the runs. */
  readonly areTextsComparable: boolean
}

const ID_STAND_IN = '\u0001'
const MOMENT_STAND_IN = '\u0002'
const TEXT_STAND_IN = '\u0003'

export function createRunRequest({ meaning, startedAt, durationMs, areTextsComparable }: RequestFacts): RunRequest {
  const { endpoint, method, access, params, query, body, requestId } = meaning
  const ids: string[] = []
  const foldId = (id: string): string => {
    ids.push(id)
    return ID_STAND_IN
  }
  const fold = (value: unknown, kind: PlaceKind): unknown => {
    if (kind === 'moment') return MOMENT_STAND_IN
    if (kind === 'text') return areTextsComparable ? replaceInnerIds(String(value), foldId) : TEXT_STAND_IN
    return kind === 'id' ? foldId(String(value)) : value
  }
  const foldParameters = (parameters: Readonly<Record<string, string>>): unknown[] =>
    Object.keys(parameters)
      .sort()
      .map((name) => {
        const value = lookUp(parameters, name) ?? ''
        return [name, fold(value, getParameterKind(name, value))]
      })
  const path =
    endpoint?.path ??
    meaning.path
      .split('/')
      .map((segment) => fold(segment, isUuid(segment) ? 'id' : 'value'))
      .join('/')
  const comparedBody = isObject(body) ? omitVolatileMembers(body) : body
  const foldedBody = mapPlaces(comparedBody, getBodyRule(endpoint?.id ?? null, 'request'), fold)
  return {
    shape: `${method} ${path}`,
    text: JSON.stringify([method, path, foldParameters(params), foldParameters(query), foldedBody ?? null]),
    ids,
    requestId,
    isWrite: access === 'write',
    startedAt,
    endedAt: durationMs === null ? Infinity : startedAt + durationMs,
  }
}
