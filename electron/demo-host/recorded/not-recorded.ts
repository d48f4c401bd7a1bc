import type { NotRecorded } from '../../core/recordings/replay/replay.ts'
import { getHostApiPath } from '../../../shared/traffic/exchange-url.ts'
import type { DemoReply } from '../state/reply.ts'

type JsonReply = Extract<DemoReply, { kind: 'json' }>

const MAX_SHOWN_CHARS = 300

/** Stands for a response that was to be derived, but does not follow from the recorded bodies. */
export const UNDERIVED: NotRecorded = { kind: 'not-recorded', reason: 'changed', nearest: null, exchange: null }

/** The response to a request that the recording does not cover, in the host's form of an error. */
export function createNotRecordedReply(method: string, path: string, missing: NotRecorded): JsonReply {
  const { reason, nearest, exchange } = missing
  const request = shorten(`${method} ${path}`)
  const error = {
    code: 'NOT_RECORDED',
    message: `${describeReason(request, missing)}${describeNearest(missing)}`,
    retryable: false,
    details: {
      reason,
      ...(nearest ? { nearest } : {}),
      ...(exchange ? { exchange: { method: exchange.row.method, path: getHostApiPath(exchange.row) } } : {}),
    },
  }
  return { kind: 'json', status: 404, text: JSON.stringify({ error }) }
}

function describeReason(request: string, { reason, exchange }: NotRecorded): string {
  const other = exchange ? shorten(`${exchange.row.method} ${getHostApiPath(exchange.row)}`) : ''
  switch (reason) {
    case 'unknown':
      return `The recording has no response to ${request}.`
    case 'changed':
      return `${request} was recorded only on the other side of ${other}, which may have changed it.`
    case 'cut': {
      const { kept = 0, total = null } = exchange?.response ?? {}
      return `The recording has only ${kept} of ${total ?? 'more'} bytes of this response.`
    }
    case 'range':
      return `The recording does not have these bytes of ${request}.`
    case 'order':
      return `In the recording, ${other} comes before ${request}. Nothing was changed.`
    case 'repeated':
      return `${request} was recorded, and is done as often as it was recorded. Nothing was changed.`
  }
}

function describeNearest({ reason, nearest }: NotRecorded): string {
  if (reason !== 'unknown' || !nearest) return ''
  const names = nearest.differs.slice(0, 5).join(', ')
  return ` The nearest recorded request is ${shorten(`${nearest.method} ${nearest.path}`)}, which differs in ${names}.`
}

const shorten = (text: string): string => (text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text)
