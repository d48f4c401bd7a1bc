/** `1:05`, `1:02:03`; unknown seconds are `0:00`. */
export function formatPlaybackTime(seconds: number): string {
  const whole = Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds) : 0
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

/** The loudest sample in each of `count` stretches, 0 to 1. Rejects if the browser can't decode the bytes. */
export async function decodeWaveformPeaks(bytes: ArrayBuffer, count: number): Promise<Float32Array> {
  const context = new OfflineAudioContext(1, 1, 44_100)
  const sound = await context.decodeAudioData(bytes)
  return computePeaks(sound.getChannelData(0), count)
}

export function computePeaks(samples: Float32Array, count: number): Float32Array {
  const peaks = new Float32Array(count)
  const stretch = samples.length / count
  for (let at = 0; at < count; at += 1) {
    const end = Math.min(samples.length, Math.ceil((at + 1) * stretch))
    let most = 0
    for (let n = Math.floor(at * stretch); n < end; n += 1) most = Math.max(most, Math.abs(samples[n] ?? 0))
    peaks[at] = Math.min(1, most)
  }
  return peaks
}
