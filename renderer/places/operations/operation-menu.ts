import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import type { OperationSummary } from '../../../shared/ipc/operations.ts'
import type { RowMenuItem } from '../../components/menu-item.ts'
import { getExchangesWithIdPath } from '../../model/traffic/traffic-query.ts'

/** Returns a function that lists the menu items of a record; several records have none. */
export function useOperationMenu(): (records: readonly OperationSummary[]) => readonly RowMenuItem[] {
  const { t } = useI18n()
  const router = useRouter()
  return ([record, ...others]) => {
    if (record === undefined || others.length > 0) return []
    const { id, noteid, requestId } = record
    const openCard = {
      id: 'card',
      label: t('tree.openCard'),
      run: () => router.push(`/notes/${encodeURIComponent(noteid ?? '')}`),
    }
    const copyRequestId = {
      id: 'copy-request-id',
      label: t('operations.copyRequestId'),
      readText: () => requestId ?? '',
    }
    return [
      ...(noteid === null ? [] : [openCard]),
      { id: 'traffic', label: t('exchange.trafficOf'), run: () => router.push(getExchangesWithIdPath(id)) },
      ...(requestId === null ? [] : [copyRequestId]),
    ]
  }
}
