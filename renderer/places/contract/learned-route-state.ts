import { computed } from 'vue'
import type { LearnedFilter } from '../../../shared/ipc/contract-schemas.ts'
import { useQueryTexts } from '../../panes/query-texts.ts'

const DAY = /^\d{4}-\d\d-\d\d$/

/** Keeps the filter and the selected route of what was learned in the address. */
export function useLearnedRouteState() {
  const { getText, setTexts } = useQueryTexts()
  const getDay = (name: string): string | null => (DAY.test(getText(name)) ? getText(name) : null)
  return {
    filter: computed<LearnedFilter>({
      get: () => ({
        host: getText('host').slice(0, 2_000) || null,
        version: getText('version').slice(0, 200) || null,
        from: getDay('from'),
        to: getDay('to'),
      }),
      set: ({ host, version, from, to }) =>
        setTexts({ host: host ?? '', version: version ?? '', from: from ?? '', to: to ?? '' }),
    }),
    /** Method and template of the selected route; null if none is. */
    selectedKey: computed<string | number | null>({
      get: () => getText('route') || null,
      set: (key) => setTexts({ route: String(key ?? '') }),
    }),
  }
}
