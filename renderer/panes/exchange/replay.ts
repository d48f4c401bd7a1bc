import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { findCommandRow, type CommandId } from '../../../shared/bridge/listed-row.ts'
import { AppError } from '../../../shared/errors.ts'
import type { ExchangeDetail } from '../../../shared/traffic/exchange.ts'
import { matchSentParameters } from '../../model/traffic/sent-parameters.ts'
import { getHostApiPath } from '../../../shared/traffic/exchange-url.ts'
import { useConnection } from '../../stores/connection.ts'
import { useOperations } from '../../stores/operations.ts'
import { useTraffic } from '../../stores/traffic.ts'
import { readRequestText } from './exchange-copy.ts'

interface Replay {
  /** True if the request may change data, so that it must be reviewed first. */
  readonly isWrite: ComputedRef<boolean>
  /** Text for the page that explains why the exchange cannot be repeated; null if it can. */
  readonly blockedReason: ComputedRef<string | null>
  /** Resolves with the read's number in the store; a write opens its review and gives null. */
  replay(): Promise<number | null>
}

/** Sends a recorded request again, exactly as it was sent, to the host that is connected now. */
export function useReplay(detail: () => ExchangeDetail): Replay {
  const { t } = useI18n()
  const connection = useConnection()
  const operations = useOperations()
  const traffic = useTraffic()
  const row = computed(() => detail().row)
  const knownEndpoint = computed(() => (row.value.endpoint === null ? undefined : findEndpointById(row.value.endpoint)))
  const isWrite = computed(() =>
    knownEndpoint.value ? knownEndpoint.value.access !== 'read' : row.value.method !== 'GET',
  )
  const command = computed<CommandId | null>(() => {
    if (knownEndpoint.value) return knownEndpoint.value.id
    const id: CommandId = `listed ${row.value.method} ${getHostApiPath(row.value).split('?')[0] ?? ''}`
    return findCommandRow(id) ? id : null
  })
  const blockedReason = computed(() => {
    if (!connection.online) return t('exchange.cannot.offline')
    if (detail().request.missing !== null) return t('exchange.cannot.cut')
    if (
      knownEndpoint.value?.returnsSecret ||
      knownEndpoint.value?.isUpload ||
      (isWrite.value && command.value === null)
    )
      return t('exchange.cannot.gate')
    return null
  })

  async function run(): Promise<number | null> {
    const body = await readRequestText(detail())
    const { method } = row.value
    if (!isWrite.value) {
      try {
        return await traffic.send({ method, path: getHostApiPath(row.value), body })
      } catch (error) {
        // The service decides by the body, and this is a write, so it goes through the review.
        if (!(error instanceof AppError) || error.code !== 'NOT_A_READ' || command.value === null) throw error
      }
    }
    const id = command.value
    const gate = id && findCommandRow(id)
    if (!gate) return null
    const sentParameters = matchSentParameters(gate, row.value.path).filter(
      (entry): entry is typeof entry & { value: string } => entry.value !== null && entry.parameter !== null,
    )
    operations.compose(id, Object.fromEntries(sentParameters.map(({ name, value }) => [name, value])), {
      review: true,
      ...(body === null ? {} : { body }),
    })
    return null
  }
  return { isWrite, blockedReason, replay: run }
}
