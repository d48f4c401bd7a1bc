import { hostAt } from '../bridge/same-host.ts'
import type { OperationSummary, operationFilterSchema } from './operations.ts'
import type { z } from 'zod'

export type OperationFilter = Omit<z.infer<typeof operationFilterSchema>, 'offset' | 'limit'>

/** What of a record the filter looks at. */
export type Filtered = Pick<
  OperationSummary,
  'id' | 'endpoint' | 'state' | 'tracking' | 'topicid' | 'requestId' | 'noteid' | 'host'
>

/** Somebody still waits for an outcome: it is on its way, or looked after. */
export const isUnfinished = ({ state, tracking }: Pick<OperationSummary, 'state' | 'tracking'>): boolean =>
  state === 'sent' || state === 'prepared' || tracking === 'polling' || tracking === 'paused-offline'

/** Whether a record belongs into the list: the service process and the page ask the same question. */
export function operationFilter(filter: OperationFilter): (record: Filtered) => boolean {
  const { endpoint, state, unfinished, topicid, host, text } = filter
  const isHere = host === undefined ? null : hostAt(host)
  const needle = text?.toLowerCase() ?? ''
  return (record) => {
    if (endpoint !== undefined && record.endpoint !== endpoint) return false
    if (topicid !== undefined && record.topicid !== topicid) return false
    if (state !== undefined && record.state !== state) return false
    if (isHere !== null && !isHere(record.host)) return false
    if (unfinished === true && !isUnfinished(record)) return false
    const ids = [record.id, record.requestId, record.noteid]
    return needle === '' || ids.some((id) => id?.toLowerCase().includes(needle))
  }
}
