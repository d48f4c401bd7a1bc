import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { mapSigns, type MapLegend } from '../../model/map/map-legend.ts'
import { useLibrary } from '../../stores/library.ts'
import { useMapChoice, type MapCoverage, type MapFileRequest } from '../../stores/map.ts'
import { useMapPath } from '../../stores/map-path.ts'
import { useTree } from '../../stores/tree.ts'
import { useTreeChanges } from '../../stores/tree-changes.ts'
import { useChangeTexts } from '../change-texts.ts'
import type { WindowContent } from './map-camera.ts'

/** The texts of the legend of a file, which says what the file shows and what it does not. */
export function useFileLegend() {
  const { t, n, d } = useI18n()
  const tree = useTree()
  const library = useLibrary()
  const choice = useMapChoice()
  const changes = useTreeChanges()
  const path = useMapPath()
  const words = useChangeTexts()
  const title = computed(() => library.titleOf(tree.key?.topicid ?? '') ?? '')

  /** @param content what the window shows */
  function describeFile(extent: MapFileRequest['extent'], coverage: MapCoverage, content: WindowContent): MapLegend {
    const { cardCount, readCount, matchCount } = coverage
    const counts = { count: n(cardCount), total: n(tree.loadedCount), hidden: n(content.blockCardCount) }
    const now = Date.now()
    const isWindow = extent === 'window'
    const facts = [
      t(`map.file.${isWindow && content.isOverview ? 'overview' : extent}`, counts),
      ...(tree.status === 'complete' ? [] : [t('map.file.partial', { loaded: n(tree.loadedCount) })]),
      ...(matchCount === null ? [] : [t('map.file.filter', { n: n(matchCount) }, matchCount)]),
      ...(readCount === cardCount ? [] : [t('map.file.read', { ...counts, read: n(readCount) })]),
      ...(changes.marks ? [t('map.file.changes', { before: words.formatSnapshot(changes.marks.before) })] : []),
      `${t(`map.projection.${choice.projection}`)} · ${d(now, 'day')} ${d(now, 'time')}`,
    ]
    const isDrawn = {
      selected: isWindow && content.frame.selected >= 0,
      current: isWindow && content.frame.current >= 0,
      block: isWindow && content.blockCardCount > 0,
      match: matchCount !== null,
      change: changes.marks !== null,
      ghost: changes.marks !== null && choice.hasGhosts && choice.projection !== 'icicle',
      named: isWindow && path.current !== null,
      written: isWindow && path.current !== null,
    }
    const signs = mapSigns
      .filter((sign) => !(sign in isDrawn) || isDrawn[sign as keyof typeof isDrawn])
      .map((sign) => ({ sign, label: t(`map.legend.${sign}`) }))
    return { title: title.value || t('common.untitled'), facts, signs }
  }

  return { title, describeFile }
}
