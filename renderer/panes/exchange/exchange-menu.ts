import { useI18n } from 'vue-i18n'
import { useRoute, useRouter } from 'vue-router'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { parseFilterToken, type FilterToken } from '../../../shared/traffic/filter-language.ts'
import type { RowMenuItem } from '../../components/menu-item.ts'
import { useApp } from '../../stores/app.ts'
import { toRouteConditions, useBreakpoints } from '../../stores/breakpoints.ts'
import { readExchange } from '../../stores/exchange.ts'
import { useOverrides } from '../../stores/overrides.ts'
import { useTraffic } from '../../stores/traffic.ts'
import { useExchangeTexts } from '../exchange-texts.ts'
import { observeNavigations } from '../late-navigation.ts'
import { saveFile } from '../save-file.ts'
import { useRecordingDrafts } from '../recordings/recording-drafts.ts'
import { type CopyFormat, copyFormats, formatExchangeCopies } from './exchange-copy.ts'
import { useExchangeLinks } from './exchange-links.ts'

/** Each of them is read with both bodies. */
const MAX_COPIED_EXCHANGES = 200
const groupFormats: readonly CopyFormat[] = ['curl', 'fetch', 'hostApi', 'har']

/** The keys of ended exchanges; an exchange under way has no number in the store. */
export function listSeqs(keys: readonly (number | string)[]): readonly number[] {
  return keys.every((key) => typeof key === 'number') ? keys : []
}

const startGroup = (items: readonly RowMenuItem[]): readonly RowMenuItem[] =>
  items.map((item, index) => (index === 0 ? { ...item, hasSeparator: true } : item))

type RunItem = RowMenuItem & { readonly run: () => unknown }

interface ExchangeMenu {
  /**
   * Commands for the exchanges `seqs`; `row` is the first, undefined while it is not loaded.
   * @param filterBy puts a token into the filter of the list; absent for a list without tokens
   */
  listItems(
    seqs: readonly number[],
    row: ExchangeRow | undefined,
    filterBy?: (token: FilterToken) => void,
  ): readonly RowMenuItem[]
  /** Lists the commands for several exchanges that a bar offers. */
  listGroupItems(seqs: readonly number[]): readonly RowMenuItem[]
  createCopyItem(format: CopyFormat, seqs: readonly number[]): RowMenuItem
  /** Compares the responses of two exchanges, the older one first. */
  createCompareItem(seqs: readonly number[], label: string): RunItem
  createConsoleItem(seq: number): RunItem
  createPinItem(seqs: readonly number[], isPinned: boolean): RunItem
  createMarkItem(seq: number): RunItem
}

/** The commands for exchanges, for the menus of every list and of the exchange itself. */
export function useExchangeMenu(): ExchangeMenu {
  const { t, n } = useI18n()
  const router = useRouter()
  const navigations = observeNavigations(router)
  const route = useRoute()
  const app = useApp()
  const traffic = useTraffic()
  const { toComparison } = useExchangeLinks()
  const { createExchangesItem: createRecordingItem } = useRecordingDrafts()
  const { formatOrigin } = useExchangeTexts()

  async function readCopies(format: CopyFormat, seqs: readonly number[]): Promise<string> {
    const details = []
    for (const seq of seqs) details.push(await readExchange({ seq }))
    return formatExchangeCopies(format, details, app.info?.version ?? '')
  }
  const limitTo = (seqs: readonly number[]): Pick<RowMenuItem, 'unavailableReason'> =>
    seqs.length > MAX_COPIED_EXCHANGES
      ? { unavailableReason: t('exchange.tooMany', { n: n(MAX_COPIED_EXCHANGES) }) }
      : {}

  /** The overrides load with the first menu; until then, the service process checks them. */
  function createOverrideItem(seq: number): RunItem {
    const overrides = useOverrides()
    return {
      id: 'override',
      label: t('overrides.again'),
      ...(overrides.state?.file === '' ? { unavailableReason: t('overrides.againNeedsPanel') } : {}),
      run: async () => {
        const { begunCount } = navigations
        await overrides.draftRuleFromExchange(seq)
        if (navigations.begunCount === begunCount) await router.push('/panel')
      },
    }
  }

  /** Begins with the route, so that calls of the same kind are held, too. */
  function createBreakpointItem(row: ExchangeRow): RunItem {
    return {
      id: 'break',
      label: t('breakpoints.breakOnCall'),
      run: async () => {
        if (!/^\/(?:panel|traffic)(?:\/|$)/.test(route.path)) await router.push('/traffic')
        useBreakpoints().draft = toRouteConditions(row)
      },
    }
  }

  const createTestItem = (seqs: readonly number[]): RunItem => ({
    id: 'create-test',
    label: t('exchange.createTest'),
    run: () => (traffic.testedSeqs = seqs),
    ...limitTo(seqs),
  })

  /** Offers only tokens that mean exactly what the row shows. */
  function listFilterItems(
    { template, status, origin }: ExchangeRow,
    filterBy: (token: FilterToken) => void,
  ): readonly RunItem[] {
    // No token distinguishes two panels, or two recorded clients.
    const isNamed = formatOrigin(origin) !== formatOrigin({ ...origin, label: null })
    const words = { route: template, status: String(status ?? ''), origin: isNamed ? '' : origin.kind }
    return (['route', 'status', 'origin'] as const).flatMap((name) => {
      const token = parseFilterToken(`${name}:${words[name]}`)
      return token === null
        ? []
        : [{ id: `only-${name}`, label: t(`traffic.only.${name}`), run: () => filterBy(token) }]
    })
  }

  const menu: ExchangeMenu = {
    createCopyItem: (format, seqs) => ({
      id: format,
      label: t(`exchange.copy.${format}`),
      readText: () => readCopies(format, seqs),
      ...limitTo(seqs),
    }),
    createCompareItem: ([seq = 0, otherSeq = 0], label) => ({
      id: 'compare',
      label,
      run: () => router.push(toComparison(seq, otherSeq)),
    }),
    createConsoleItem: (seq) => ({
      id: 'changed',
      label: t('exchange.replayChanged'),
      run: () => router.push({ path: '/console', query: { from: seq } }),
    }),
    createPinItem: (seqs, isPinned) => ({
      id: 'pin',
      label: t(isPinned ? 'exchange.unpin' : 'exchange.pin'),
      run: () => traffic.pin(seqs, !isPinned),
    }),
    createMarkItem: (seq) =>
      traffic.comparisonSeq === seq
        ? { id: 'mark', label: t('exchange.unmark'), run: () => (traffic.comparisonSeq = null) }
        : { id: 'mark', label: t('exchange.mark'), run: () => (traffic.comparisonSeq = seq) },
    listGroupItems: (seqs) => [
      ...(seqs.length === 2 ? [menu.createCompareItem(seqs, t('exchange.compare'))] : []),
      createTestItem(seqs),
      createRecordingItem(seqs),
      menu.createCopyItem('curl', seqs),
      {
        id: 'save-har',
        label: t('exchange.saveHar'),
        run: async () =>
          saveFile(new Blob([await readCopies('har', seqs)], { type: 'application/json' }), 'traffic.har'),
        ...limitTo(seqs),
      },
    ],
    listItems(seqs, row, filterBy) {
      const [seq] = seqs
      if (seq === undefined || row === undefined) return []
      const pin = startGroup([menu.createPinItem(seqs, row.pinned)])
      if (seqs.length > 1) {
        const compare = seqs.length === 2 ? [menu.createCompareItem(seqs, t('exchange.compare'))] : []
        return [
          ...compare,
          createTestItem(seqs),
          createRecordingItem(seqs),
          ...pin,
          ...startGroup(groupFormats.map((format) => menu.createCopyItem(format, seqs))),
        ]
      }
      const marked = traffic.comparisonSeq
      return [
        menu.createConsoleItem(seq),
        createOverrideItem(seq),
        createBreakpointItem(row),
        createTestItem(seqs),
        createRecordingItem(seqs),
        ...startGroup(filterBy ? listFilterItems(row, filterBy) : []),
        ...pin,
        menu.createMarkItem(seq),
        ...(marked === null || marked === seq
          ? []
          : [menu.createCompareItem([marked, seq], t('exchange.compareMarked'))]),
        ...startGroup([
          { id: 'copy-id', label: t('exchange.copy.id'), readText: () => row.id },
          ...copyFormats.map((format) => menu.createCopyItem(format, seqs)),
        ]),
      ]
    },
  }
  return menu
}
