/**
 * The fault `drift`: newer versions of the host, whose responses deviate from the contract in a
 * known list of ways. Routes know nothing of it; what they return is changed before it is sent.
 * Read drift-list.ts first.
 */
import { matchPathTemplate } from '../../../shared/bridge/endpoints/path-template.ts'
import { isObject } from '../../../shared/json/object.ts'
import { parsePointer } from '../../../shared/json/pointer.ts'
import { createBlankPicture } from '../media/canvas.ts'
import { encodePng } from '../media/drawing.ts'
import { createJsonReply, DemoError, type DemoReply } from '../state/reply.ts'
import { changeMember } from '../dialects/dialect-trait.ts'
import { driftVersions, listDrift, type DriftChange, type DriftVersion } from './drift-list.ts'

export function isDriftVersion(text: string): text is DriftVersion {
  return driftVersions.some((version) => version === text)
}

interface DriftingRequest {
  readonly method: string
  /** Path of the endpoint table, without a query. */
  readonly path: string
  /** Template in the endpoint table; null if none fits. */
  readonly template: string | null
  readonly query: URLSearchParams
}

/** Changes a response to what a newer version of the host would send. */
export function applyDrift(reply: DemoReply, request: DriftingRequest, version: DriftVersion): DemoReply {
  const entries = listDrift(version).filter(
    ({ method, template }) =>
      method === request.method &&
      (request.template === null ? matchPathTemplate(template, request.path) !== null : template === request.template),
  )
  const drifted = entries.reduce(
    (changed, { change, pointer }) => changeReply(changed, change, pointer, request),
    reply,
  )
  const toVersion = (value: unknown): unknown => (typeof value === 'string' ? version : value)
  return changeJson(drifted, (body) => changeMember(body, 'bridgeApiVersion', toVersion))
}

function changeReply(reply: DemoReply, change: DriftChange, pointer: string, { query }: DriftingRequest): DemoReply {
  if ('response' in change) return createJsonReply(change.response)
  if (reply.kind === 'bytes')
    return 'change' in change && change.change === 'enlarge' ? enlargePicture(reply, query) : reply
  // Errors stay as they are: they have a shape of their own.
  if (reply.kind !== 'json' || reply.status >= 400) return reply
  if ('refusal' in change) return new DemoError(change.refusal.status, change.refusal.code, 'The deck moved.').reply()
  if ('status' in change) return { ...reply, status: change.status }
  return changeJson(reply, (body) =>
    changeAt(body, parsePointer(pointer), (value) => changeValue(value, change, query)),
  )
}

function changeJson(reply: DemoReply, change: (body: unknown) => unknown): DemoReply {
  if (reply.kind !== 'json') return reply
  return { ...reply, text: JSON.stringify(change(JSON.parse(reply.text))) }
}

const EXTRA_ENTRIES = 3

/** Returns undefined for a member that is left out. */
function changeValue(value: unknown, change: DriftChange, query: URLSearchParams): unknown {
  if ('set' in change) return change.set
  if (!('change' in change) || change.change === 'remove') return undefined
  if (change.change !== 'lengthen' || !Array.isArray(value) || value.length === 0) return value
  const limit = change.beyond === 'limit' ? Number(query.get('limit') ?? Number.NaN) : change.beyond
  // Without a limit in the request, or with fewer entries, a list exceeds nothing.
  if (!(change.beyond !== 'limit' || value.length >= limit)) return value
  const list = value as unknown[]
  return Array.from({ length: limit + EXTRA_ENTRIES }, (_, index) => list[index] ?? copyEntry(list.at(-1), index))
}

/** A copy with ids of its own. */
const copyEntry = (entry: unknown, index: number): unknown =>
  isObject(entry) && typeof entry['noteid'] === 'string' ? { ...entry, noteid: `${entry['noteid']}-${index}` } : entry

/** Changes the value at each place of a folded pointer, where its parent exists. */
function changeAt(value: unknown, [step, ...steps]: readonly string[], change: (value: unknown) => unknown): unknown {
  if (step === undefined) return change(value)
  if (step === '*') return Array.isArray(value) ? value.map((entry) => changeAt(entry, steps, change)) : value
  if (step === '{key}') return isObject(value) ? { ...value, ...Object(change(undefined)) } : value
  if (!isObject(value) || (steps.length > 0 && !Object.hasOwn(value, step))) return value
  return { ...value, [step]: changeAt(value[step], steps, change) }
}

/** Returns a picture that is wider than the request allows; one without a limit stays as it is. */
function enlargePicture(reply: DemoReply & { kind: 'bytes' }, query: URLSearchParams): DemoReply {
  const maxEdge = Number(query.get('maxEdge') ?? Number.NaN)
  if (!reply.mimeType.startsWith('image/') || !Number.isInteger(maxEdge)) return reply
  return { ...reply, mimeType: 'image/png', bytes: encodePng(createBlankPicture(maxEdge * 2, 16, [232, 240, 228])) }
}
