import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import type { RecordingEntry, RunLoad } from '../../../shared/ipc/recordings.ts'
import { isToday } from '../../model/format/day.ts'
import { useLoadText } from '../../panes/recordings/load-text.ts'
import {
  findWorkingLoad,
  toLoadRunKey,
  toRecordingRunKey,
  getListedFilter,
  parseListedFilter,
  THIS_RUN,
} from '../../panes/recordings/run-sources.ts'

/** The runs that can be chosen, and those that are proposed where the address names none. */
export function useRunChoices(
  getAddress: () => { readonly before: string; readonly after: string },
  getRecordings: () => readonly RecordingEntry[],
  getLoads: () => readonly RunLoad[],
  getListedRuns: () => readonly string[],
) {
  const { t, d } = useI18n()
  const formatLoad = useLoadText()
  const recordings = computed(() =>
    getRecordings()
      .filter(({ isRemoved }) => !isRemoved)
      .map(({ id, name }) => ({ value: toRecordingRunKey(id), label: name })),
  )
  const loads = computed(() => getLoads().map((load) => ({ value: toLoadRunKey(load), label: formatLoad(load) })))
  function formatListed(filterText: string): string {
    const { from, to } = parseListedFilter(filterText)
    const span =
      from === undefined || to === undefined
        ? []
        : [`${d(from, isToday(from) ? 'seconds' : 'exact')} – ${d(to, 'seconds')}`]
    const others = [...new URLSearchParams(filterText)].filter(([name]) => !['from', 'to', 'earlier'].includes(name))
    return [...span, ...others.map((entry) => entry.join(' '))].join(' · ')
  }
  /** Runs of the address may have been listed before the page was loaded. */
  const listed = computed(() => {
    const { before: first, after: second } = getAddress()
    return [...new Set([...getListedRuns(), first, second])].flatMap((run) => {
      const filterText = getListedFilter(run)
      return filterText === null ? [] : [{ value: run, label: formatListed(filterText) || t('runs.allListed') }]
    })
  })
  const options = computed(() => [{ value: THIS_RUN, label: t('runs.thisRun') }])
  const groups = computed(() => [
    { label: t('runs.loads'), options: loads.value },
    { label: t('runs.listings'), options: listed.value },
    { label: t('recordings.title'), options: recordings.value },
  ])
  const after = computed(() => getAddress().after || (loads.value[0] ?? recordings.value[0])?.value || '')
  const before = computed(() => {
    if (getAddress().before !== '') return getAddress().before
    const load = getLoads().find((candidate) => toLoadRunKey(candidate) === after.value)
    if (load) {
      const working = findWorkingLoad(getLoads(), load)
      return working ? toLoadRunKey(working) : ''
    }
    const others = getListedFilter(after.value) === null ? recordings.value : listed.value
    return others.find(({ value }) => value !== after.value)?.value ?? ''
  })
  return {
    options,
    groups,
    /** The runs that are compared: those of the address, or the proposed ones. Empty if none. */
    before,
    after,
    getLabel: (run: string): string =>
      [...options.value, ...loads.value, ...listed.value, ...recordings.value].find(({ value }) => value === run)
        ?.label ?? run,
  }
}
