/** The parts of scripts/ that tests use; scripts are plain JavaScript. */
declare module '*/scripts/lib/chromium.mjs' {
  export const chromiumArgs: string[]
  export function findChromium(): Promise<string | null>
}
declare module '*/scripts/lib/electron.mjs' {
  export function findElectron(): string | null
  export function hasDisplay(): boolean
  export function rootFlags(): string[]
}
declare module '*/scripts/lib/build.mjs' {
  export function ensureBuilt(name: 'web' | 'desktop'): void
}
declare module '*/scripts/lib/paths.mjs' {
  export const root: string
  export function bin(name: string): string
}
declare module '*/scripts/lib/suites.mjs' {
  export function summary(sums: { name: string; passed: number; failed: number; skipped: number; note?: string }[]): {
    failed: number
    text: string
  }
}
declare module '*/scripts/lib/electron-plain.mjs' {
  export function plainElectron(executable: string, made?: string): string
}
