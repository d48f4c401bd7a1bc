import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { toMarkdownCode } from '../../../shared/format/markup.ts'
import type { LocatedFinding } from '../../../shared/protocol/finding.ts'
import { formatInitiatorPlace, type InitiatorPlace } from '../../../shared/traffic/call-initiator.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import type { RowMenuItem } from '../../components/menu-item.ts'
import { useExchangeTexts } from '../exchange-texts.ts'
import { saveFile } from '../save-file.ts'
import { useFindingTexts } from './finding-texts.ts'

interface FindingExport {
  formatMarkdown(findings: readonly LocatedFinding[]): string
  /** Saves JSON; `total` is the number of all findings, of which these may be a part. */
  saveJson(findings: readonly LocatedFinding[], total?: number): void
  listExportItems(findings: readonly LocatedFinding[]): readonly RowMenuItem[]
  listMenuItems(findings: readonly LocatedFinding[]): readonly RowMenuItem[]
}

/** @param getRow returns the exchange with this `seq`; undefined while it is not loaded */
export function useFindingExport(getRow: (seq: number) => ExchangeRow | undefined): FindingExport {
  const { t } = useI18n()
  const router = useRouter()
  const words = useFindingTexts()
  const exchange = useExchangeTexts()
  const getRequest = (finding: LocatedFinding): string => {
    const row = getRow(finding.exchanges.at(-1) ?? 0)
    return row === undefined ? finding.resource : `${row.method} ${row.path}`
  }
  const formatLine = (place: InitiatorPlace): string =>
    [formatInitiatorPlace(place), place.functionName].map(toMarkdownCode).filter(Boolean).join(' ')
  const formatMarkdown = (findings: readonly LocatedFinding[]): string =>
    findings
      .map((finding) => {
        const { rule, count, origins } = finding
        const request = getRequest(finding)
        const callers = [...new Set(origins.map(exchange.formatOrigin))].join(', ')
        return [
          `- **${words.getTitle(rule)}** (${words.formatSeverity(rule)}, ${count}×, ${callers})`,
          ...(request === '' ? [] : [`  ${toMarkdownCode(request)}`]),
          ...(finding.initiator === null ? [] : [`  ${formatLine(finding.initiator)}`]),
          `  ${words.describeFinding(finding)}`,
          `  ${words.getAdvice(rule)} (${words.getSpecSection(rule)})`,
        ].join('\n')
      })
      .join('\n')
  function formatJson(findings: readonly LocatedFinding[], total: number): string {
    const entries = findings.map((finding) => ({
      rule: finding.rule,
      severity: words.getSeverity(finding.rule),
      title: words.getTitle(finding.rule),
      description: words.describeFinding(finding),
      advice: words.getAdvice(finding.rule),
      contract: words.getSpecSection(finding.rule),
      request: getRequest(finding),
      initiator: finding.initiator,
      count: finding.count,
      firstAt: new Date(finding.firstAt).toISOString(),
      lastAt: new Date(finding.at).toISOString(),
      origins: finding.origins,
      exchanges: finding.exchanges,
      params: finding.params,
    }))
    return JSON.stringify({ total, findings: entries }, null, 2)
  }
  const saveJson: FindingExport['saveJson'] = (findings, total = findings.length) =>
    saveFile(new Blob([formatJson(findings, total)], { type: 'application/json' }), 'findings.json')

  const listExportItems: FindingExport['listExportItems'] = (findings) => [
    { id: 'markdown', label: t('protocol.copyMarkdown'), readText: () => formatMarkdown(findings) },
    { id: 'json', label: t('protocol.exportJson'), run: () => saveJson(findings) },
  ]
  return {
    formatMarkdown,
    saveJson,
    listExportItems,
    listMenuItems(findings) {
      const [finding, ...others] = findings
      const seq = finding?.exchanges.at(-1)
      if (seq === undefined || others.length > 0) return listExportItems(findings)
      const showExchange = { id: 'exchange', label: t('exchange.open'), run: () => router.push(`/traffic/${seq}`) }
      return [showExchange, ...listExportItems(findings)]
    },
  }
}
