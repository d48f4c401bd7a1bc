/** The parts of scripts/ that tests use; scripts are plain JavaScript. */
declare module '*/scripts/lib/chromium.mjs' {
  export const chromiumArgs: string[]
  export function findChromium(): Promise<string | null>
  export function findTestChromium(): Promise<string | null>
  export function ensureTestChromium(): Promise<string>
  export function ensureChromium(): Promise<string>
}
declare module '*/scripts/lib/electron.mjs' {
  export function findElectron(): string | null
  export function hasDisplay(): boolean
  export function rootFlags(): string[]
}
declare module '*/scripts/lib/electron-libraries.mjs' {
  export function missingLibraries(program: string): string[]
}
declare module '*/scripts/lib/build.mjs' {
  export function ensureBuilt(name: 'web' | 'desktop' | 'cli'): void
}
declare module '*/scripts/lib/rules.mjs' {
  export function rulesDoc(): string
}
declare module '*/scripts/lib/contract.mjs' {
  export function contractDoc(): string
}

declare module '*/scripts/lib/node.mjs' {
  interface Machine {
    readonly root: string
    readonly platform: string
    readonly arch: string
    readonly version: string
  }
  export function wayOn(machine: Machine): { become: string } | { say: string } | null
  export function linkNode(machine: Machine): void
}
declare module '*/scripts/lib/contract.mjs' {
  export function contractDoc(): string
}
declare module '*/scripts/lib/paths.mjs' {
  export const root: string
  export function bin(name: string): string
}
declare module '*/scripts/lib/suites.mjs' {
  interface Sum {
    name: string
    passed: number
    failed: number
    skipped: number
    note?: string
    retried?: string[]
  }
  export function summary(sums: Sum[]): { failed: number; text: string }
  export function runVitest(suites: string[], flags: string[], env?: Record<string, string>): Sum[]
  export function runPlaywright(projects: string[], flags: string[], env?: Record<string, string>): Sum[]
  export function sumsOf(report: unknown, projects: string[]): Sum[]
  export function sumsOfVitest(report: unknown, suites: string[]): Sum[]
}
declare module '*/scripts/lib/electron-plain.mjs' {
  export function plainElectron(executable: string, folder?: string): string
}
declare module '*/scripts/lib/icon-files.mjs' {
  export function ico(pictures: ReadonlyMap<number, Buffer>): Buffer
  export function icns(pictures: ReadonlyMap<number, Buffer>): Buffer
}
declare module '*/bench/wire/last.mjs' {
  type Figures = Readonly<Record<string, number>>
  export function worseThan(last: Figures, runs: readonly Figures[]): { name: string; before: number; best: number }[]
}
declare module '*/scripts/lib/npm-manifest.mjs' {
  export function publishedManifest(manifest: Readonly<Record<string, unknown>>): Record<string, unknown>
}
declare module '*/scripts/lib/system-files.mjs' {
  interface SystemFile {
    readonly file: string
    readonly data: string | Buffer
    readonly mode: number
  }
  export function launcher(): string
  export function systemFiles(release: {
    version: string
    maintainer: string
    date: Date
    licenses: string
  }): SystemFile[]
  export function debianChangelog(markdown: string, maintainer: string, date: Date): string
}
