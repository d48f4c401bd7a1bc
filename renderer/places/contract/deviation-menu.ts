import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import type { Deviation } from '../../../shared/contract/deviation.ts'
import type { RowMenuItem } from '../../components/menu-item.ts'
import { useDeviationTexts } from '../../panes/contract/deviation-texts.ts'
import { toPastLocation } from '../../panes/contract/past-location.ts'
import { useExchangeLinks } from '../../panes/exchange/exchange-links.ts'
import { useDeviations } from '../../stores/deviations.ts'

/** Commands for one or more deviations; `openDetail` shows where a reason is typed. */
export function useDeviationMenu(
  openDetail: (id: string) => void,
): (deviations: readonly Deviation[]) => readonly RowMenuItem[] {
  const { t } = useI18n()
  const router = useRouter()
  const store = useDeviations()
  const words = useDeviationTexts()
  const { toExchange } = useExchangeLinks()

  return (deviations) => {
    const copyItem = {
      id: 'markdown',
      label: t('protocol.copyMarkdown'),
      readText: () => words.formatMarkdown(deviations),
    }
    const [row, ...others] = deviations
    if (!row || others.length > 0) return [copyItem]
    const { id, sampleId, sampleSeq, pointer, muted } = row
    const showExchange = (): unknown => router.push(toExchange(sampleId ?? sampleSeq ?? 0, pointer))
    return [
      ...(sampleSeq === null ? [] : [{ id: 'exchange', label: t('exchange.open'), run: showExchange }]),
      {
        id: 'past',
        label: t('contractPlace.drift.findBegin'),
        run: () => router.push(toPastLocation({ deviation: id })),
      },
      muted
        ? { id: 'unmute', label: t('contractPlace.drift.unmute'), run: () => store.mute(id, null) }
        : { id: 'mute', label: t('contractPlace.drift.mute'), run: () => openDetail(id) },
      copyItem,
    ]
  }
}
