import { useI18n } from 'vue-i18n'
import type { FindingGroup } from '../../../shared/protocol/finding.ts'
import type { TrafficFilter } from '../../../shared/traffic/traffic-filter.ts'
import type { RowMenuItem } from '../../components/menu-item.ts'
import { usePanel } from '../../stores/panel.ts'
import { useRecordings, type RecordingChoice } from '../../stores/recordings.ts'

const QUARTER_HOUR_MS = 15 * 60_000

/** Each function opens the dialog *Save recording…* for what a view shows. */
export function useRecordingDrafts() {
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

  const saveExchanges = (seqs: readonly number[]): void =>
    openDraft(t('recordings.nameOfExchanges'), {
      label: t('recordings.choice.selected', { n: n(seqs.length) }, seqs.length),
      selection: { kind: 'exchanges', seqs: [...seqs] },
    })

  return {
    saveExchanges,
    saveStored: (): void =>
      openDraft(
        t('recordings.nameOfRun'),
        createThisRunChoice(),
        ...createCurrentLoadChoices(),
        ...createTimeChoices(),
      ),
    /** @param count number of the listed exchanges */
    saveListed: (filter: TrafficFilter, count: number): void =>
      openDraft(
        t('recordings.nameOfRun'),
        { label: t('recordings.choice.listed', { n: n(count) }), selection: { kind: 'filter', filter } },
        createThisRunChoice(),
        ...createTimeChoices(),
      ),
    saveLoad(): void {
      const [current] = createCurrentLoadChoices()
      if (current) openDraft(panel.state?.name ?? '', current, createThisRunChoice(), ...createTimeChoices())
    },
    saveComparison: (seqs: readonly number[]): void =>
      openDraft(t('recordings.nameOfComparison'), {
        label: t('recordings.choice.comparison'),
        selection: { kind: 'exchanges', seqs: [...seqs], isComparison: true },
      }),
    /** @param title of the rule */
    saveFinding({ id, origin }: FindingGroup, title: string): void {
      const { caller, load, label } = origin
      const loadChoices =
        origin.kind === 'panel' && caller !== undefined && load !== undefined
          ? [createLoadChoice(label ?? t('exchange.origin.panel'), caller, load)]
          : []
      openDraft(title, { label: t('recordings.choice.finding'), selection: { kind: 'finding', id } }, ...loadChoices)
    },
    /** @param title of the write */
    saveOperation: (id: string, title: string): void =>
      openDraft(title, { label: t('recordings.choice.operation'), selection: { kind: 'operation', id } }),
    createExchangesItem: (seqs: readonly number[]): RowMenuItem & { readonly run: () => unknown } => ({
      id: 'save-recording',
      label: t('recordings.saveOpen'),
      run: () => saveExchanges(seqs),
    }),
  }
}
