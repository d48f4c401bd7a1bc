import { computed, watch, type ComputedRef } from 'vue'
import type { EndpointId } from '../../shared/bridge/endpoints/index.ts'
import { errorCodeOf } from '../../shared/bridge/errors.ts'
import { useConnection } from './connection.ts'
import { useOperationList } from './operation-list.ts'
import { useOperations } from './operations.ts'
import { useResource } from './resource.ts'

/** The host's answer to a write, and when it came. */
export interface CardAnswer {
  readonly at: number
  readonly body: unknown
}

/** Answers that are read of one card; of more writes only the latest count. */
const MAX_ANSWERS = 20

/**
 * What the connected host answered to the writes of one kind to a card that were recorded here, latest first. Some of it a host never says
 * again when the card is read.
 */
export function useCardAnswers(endpoint: EndpointId, noteid: () => string): ComputedRef<readonly CardAnswer[]> {
  const operations = useOperations()
  const connection = useConnection()
  const list = useOperationList(() => {
    const host = connection.state.profile?.baseUrl
    return { endpoint, text: noteid(), ...(host === undefined ? {} : { host }) }
  })
  const answers = useResource(async () => {
    const own = list.items.filter((one) => one.noteid === noteid()).slice(0, MAX_ANSWERS)
    const records = await Promise.all(own.map(({ id }) => operations.get(id).catch(() => null)))
    return records.flatMap((record) => {
      const answer = record?.events.find((event) => event.kind === 'answer')
      const isGood = answer && answer.status >= 200 && answer.status < 300 && errorCodeOf(answer.body) === null
      return isGood ? [{ at: answer.at, body: answer.body }] : []
    })
  })
  watch(
    () => list.items,
    () => void answers.reload(),
    { immediate: true },
  )
  return computed(() => answers.data ?? [])
}
