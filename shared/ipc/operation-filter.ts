import { hostAt } from '../bridge/same-host.ts'
import { folded } from '../format/fold.ts'
import type { OperationSummary, operationFilterSchema } from './operations.ts'
import type { z } from 'zod'

export type OperationFilter = Omit<z.infer<typeof operationFilterSchema>, 'offset' | 'limit'>

/** The parts of a record that the filter looks at. */
export type Filtered = Pick<
  OperationSummary,
  'id' | 'endpoint' | 'state' | 'tracking' | 'topicid' | 'requestId' | 'noteid' | 'host'
>

/** An outcome is still expected: the operation is on its way, or being tracked. */
export const isUnfinished = ({ state, tracking }: Pick<OperationSummary, 'state' | 'tracking'>): boolean =>
  state === 'sent' || state === 'prepared' || tracking === 'polling' || tracking === 'paused-offline'

/** Whether a record belongs in the list; used by both the service process and the page. */
export function operationFilter(filter: OperationFilter): (record: Filtered) => boolean {
  const { endpoint, state, unfinished, topicid, host, text } = filter
  const isHere = host === undefined ? null : hostAt(host)
  const needle = folded(text ?? '')
  return (record) => {
    if (endpoint !== undefined && record.endpoint !== endpoint) return false
    if (topicid !== undefined && record.topicid !== topicid) return false
    if (state !== undefined && record.state !== state) return false
    if (isHere !== null && !isHere(record.host)) return false
    if (unfinished === true && !isUnfinished(record)) return false
    const ids = [record.id, record.requestId, record.noteid]
    return needle === '' || ids.some((id) => folded(id ?? '').includes(needle))
  }
}
