import { computed, ref, watch } from 'vue'
import { useI18n } from 'vue-i18n'
import { endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import { getMember } from '../../../../shared/json/object.ts'
import { findSessionRunId } from '../../../../shared/bridge/session-record.ts'
import { findWritingSurface } from '../../../../shared/bridge/writing-surface.ts'
import { createFormFields } from '../../../model/forms/form-fields.ts'
import { useConnection } from '../../../stores/connection.ts'
import { useOperations } from '../../../stores/operations.ts'
import { useRead } from '../../../stores/host-read.ts'
import type { FaceComposable } from './write-face.ts'

/**
 * Fills in a new request id, the carrier that the contract names, and the data of the host's
 * writing context.
 */
export const useWritingFace: FaceComposable<'writing'> = ({ row, values, getText: text }) => {
  const fill = (name: string, value: string): void => {
    if (text(name) === '') values.value = { ...values.value, [name]: value }
  }
  fill('requestId', crypto.randomUUID())
  if (createFormFields(row).some(({ name }) => name === 'carrier')) fill('carrier', 'focus')
  const names = new Set(createFormFields(row).map(({ name }) => name))
  const { t, te, d } = useI18n()
  const noteKey = `write.note.${row.id.replaceAll('.', '-')}`
  /**
   * Time at which the command was sent whose run id this form reuses, in epoch milliseconds; null
   * if it reuses none.
   */
  const ranAt = ref<number | null>(null)
  useWritingContext(fill, () => {
    if (!names.has('runId') || text('runId') !== '') return
    void findEarlierRun().then((earlier) => {
      if (earlier === null || text('runId') !== '') return
      fill('runId', earlier.runId)
      ranAt.value = earlier.sentAt
    })
  })
  const note = computed(() =>
    [te(noteKey) ? t(noteKey) : '', ranAt.value === null ? '' : t('write.runFrom', { time: d(ranAt.value, 'seconds') })]
      .filter(Boolean)
      .join(' '),
  )
  return { note }
}

const sessionCommands = endpoints.filter(({ command }) => command === 'session')

/**
 * Finds the run of the newest session command that was sent to this host; null if there is none.
 */
async function findEarlierRun(): Promise<{ readonly runId: string; readonly sentAt: number } | null> {
  const operations = useOperations()
  const host = useConnection().state.profile?.baseUrl
  const { signal } = new AbortController()
  const lists = await Promise.all(
    sessionCommands.map(({ id }) =>
      operations.list({ endpoint: id, ...(host === undefined ? {} : { host }), offset: 0, limit: 5 }, signal),
    ),
  )
  const newest = lists.flatMap(({ items }) => items).sort((a, b) => b.createdAt - a.createdAt)
  for (const { id, createdAt } of newest) {
    const { body } = await operations.get(id)
    const runId = body === null ? null : getMember(JSON.parse(body), 'runId')
    if (typeof runId === 'string' && runId !== '') return { runId, sentAt: createdAt }
  }
  return null
}

/**
 * Reads the canvas and the practice session, if the host names them (spec §4 `GET
 * /writing/context`; its shape is not documented).
 */
function useWritingContext(fill: (name: string, value: string) => void, onLoaded: () => void): void {
  const connection = useConnection()
  const context = useRead('writing.context', () => (connection.online ? {} : null))
  const contextValues = computed(() => {
    const value = context.data?.value
    return {
      surfaceId: findWritingSurface(value)?.surfaceId,
      runId: findSessionRunId(value),
    }
  })
  watch(
    contextValues,
    (next) => {
      for (const [name, value] of Object.entries(next)) {
        if (typeof value === 'string') fill(name, value)
      }
    },
    { immediate: true },
  )
  // The host's current values take precedence over those sent earlier.
  watch(
    () => context.status,
    (status) => (status === 'ready' || status === 'failed') && onLoaded(),
    { immediate: true },
  )
}
