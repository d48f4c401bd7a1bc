import { useI18n } from 'vue-i18n'
import type { FindingGroup } from '../../../shared/protocol/finding.ts'
import type { TrafficFilter } from '../../../shared/traffic/traffic-filter.ts'
import type { RowMenuItem } from '../../components/menu-item.ts'
import { usePanel } from '../../stores/panel.ts'
import { useRecordings, type RecordingChoice } from '../../stores/recordings.ts'

const QUARTER_HOUR_MS = 15 * 60_000

/** Each function opens the dialog *Save recording…* for what a view shows. */
interface RecordingDrafts {
  saveStored(): void
  /** @param count number of the listed exchanges */
  saveListed(filter: TrafficFilter, count: number): void
  /** The current load of the panel. */
  saveLoad(): void
  saveExchanges(seqs: readonly number[]): void
  saveComparison(seqs: readonly number[]): void
  /** @param title of the rule */
  saveFinding(finding: FindingGroup, title: string): void
  /** @param title of the write */
  saveOperation(id: string, title: string): void
  createExchangesItem(seqs: readonly number[]): RowMenuItem & { readonly run: () => unknown }
}

export function useRecordingDrafts(): RecordingDrafts {
  const { t, n } = useI18n()
  const recordings = useRecordings()
  const panel = usePanel()
  const openDraft = (name: string, ...choices: [RecordingChoice, ...RecordingChoice[]]): void =>
    void (recordings.draft = { name, choices })

  const createThisRunChoice = (): RecordingChoice => ({
    label: t('recordings.choice.thisRun'),
    selection: { kind: 'filter', filter: { thisRun: true } },
  })
  function createTimeChoices(): RecordingChoice[] {
    const to = Date.now()
    return [
      {
        label: t('recordings.choice.quarterHour'),
        selection: { kind: 'filter', filter: { from: to - QUARTER_HOUR_MS, to } },
      },
      { label: t('recordings.choice.all'), selection: { kind: 'filter', filter: {} } },
    ]
  }
  const createLoadChoice = (name: string, caller: string, load: number): RecordingChoice => ({
    label: t('recordings.choice.load', { name, n: n(load) }),
    selection: { kind: 'filter', filter: { caller, load } },
  })
  /** None before the first load. */
  function createCurrentLoadChoices(): RecordingChoice[] {
    const { caller = null, name = '', pageLoad = 0 } = panel.state ?? {}
    return caller === null || pageLoad === 0 ? [] : [createLoadChoice(name, caller, pageLoad)]
  }

  const drafts: RecordingDrafts = {
    saveStored: () =>
      openDraft(
        t('recordings.nameOfRun'),
        createThisRunChoice(),
        ...createCurrentLoadChoices(),
        ...createTimeChoices(),
      ),
    saveListed: (filter, count) =>
      openDraft(
        t('recordings.nameOfRun'),
        { label: t('recordings.choice.listed', { n: n(count) }), selection: { kind: 'filter', filter } },
        createThisRunChoice(),
        ...createTimeChoices(),
      ),
    saveLoad() {
      const [current] = createCurrentLoadChoices()
      if (current) openDraft(panel.state?.name ?? '', current, createThisRunChoice(), ...createTimeChoices())
    },
    saveExchanges: (seqs) =>
      openDraft(t('recordings.nameOfExchanges'), {
        label: t('recordings.choice.selected', { n: n(seqs.length) }, seqs.length),
        selection: { kind: 'exchanges', seqs: [...seqs] },
      }),
    saveComparison: (seqs) =>
      openDraft(t('recordings.nameOfComparison'), {
        label: t('recordings.choice.comparison'),
        selection: { kind: 'exchanges', seqs: [...seqs], isComparison: true },
      }),
    saveFinding({ id, origin }, title) {
      const { caller, load, label } = origin
      const loadChoices =
        origin.kind === 'panel' && caller !== undefined && load !== undefined
          ? [createLoadChoice(label ?? t('exchange.origin.panel'), caller, load)]
          : []
      openDraft(title, { label: t('recordings.choice.finding'), selection: { kind: 'finding', id } }, ...loadChoices)
    },
    saveOperation: (id, title) =>
      openDraft(title, { label: t('recordings.choice.operation'), selection: { kind: 'operation', id } }),
    createExchangesItem: (seqs) => ({
      id: 'save-recording',
      label: t('recordings.saveOpen'),
      run: () => drafts.saveExchanges(seqs),
    }),
  }
  return drafts
}
