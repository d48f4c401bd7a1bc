import { computed, watch } from 'vue'
import { member } from '../../../../shared/json/object.ts'
import { sessionRecordOf } from '../../../../shared/bridge/session-record.ts'
import { surfaceOf } from '../../../../shared/bridge/writing-surface.ts'
import { fieldsOf } from '../../../model/forms/fields.ts'
import { useConnection } from '../../../stores/connection.ts'
import { useRead } from '../../../stores/read.ts'
import type { FacePart } from './face.ts'

/** A request id of its own, the carrier that the contract names, and what the window says. */
export const useWritingIds: FacePart<'writing'> = ({ row, values, text }) => {
  const fill = (name: string, value: string): void => {
    if (text(name) === '') values.value = { ...values.value, [name]: value }
  }
  fill('requestId', crypto.randomUUID())
  if (fieldsOf(row).some(({ name }) => name === 'carrier')) fill('carrier', 'focus')
  useWritingContext(fill)
  return {}
}

/** The canvas and the practice session, where the host says which they are (spec §4 `GET /writing/context`; its shape is not shown). */
function useWritingContext(fill: (name: string, value: string) => void): void {
  const connection = useConnection()
  const context = useRead('writing.context', () => (connection.online ? {} : null))
  const found = computed(() => {
    const value = context.value.value?.value
    return {
      surfaceId: surfaceOf(value)?.surfaceId,
      runId: member(sessionRecordOf(value), 'runId'),
    }
  })
  watch(
    found,
    (now) => {
      for (const [name, value] of Object.entries(now)) {
        if (typeof value === 'string') fill(name, value)
      }
    },
    { immediate: true },
  )
}
