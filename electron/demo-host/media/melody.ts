import { createRandom } from '../library/random.ts'

const SAMPLE_RATE_HZ = 16_000
const SCALE_HZ = [261.63, 293.66, 329.63, 392, 440, 523.25]

/** Creates a tune of about 12 seconds as WAV: 16 kHz, 16 bit, mono. */
export function createMelody(seed: number): Buffer {
  const random = createRandom(seed)
  const notes = Array.from({ length: 24 }, () => SCALE_HZ[Math.floor(random() * SCALE_HZ.length)] ?? 440)
  const samplesPerNote = SAMPLE_RATE_HZ / 2
  const data = Buffer.alloc(notes.length * samplesPerNote * 2)
  notes.forEach((frequency, index) => {
    for (let n = 0; n < samplesPerNote; n += 1) {
      const envelope = Math.min(1, n / 400) * Math.exp(-n / 3_000)
      const wave =
        Math.sin((2 * Math.PI * frequency * n) / SAMPLE_RATE_HZ) +
        0.3 * Math.sin((4 * Math.PI * frequency * n) / SAMPLE_RATE_HZ)
      data.writeInt16LE(Math.round(wave * envelope * 16_000), (index * samplesPerNote + n) * 2)
    }
  })
  return Buffer.concat([createWavHeader(data.length), data])
}

/** 16 bit, mono, a slow saw wave, never stored: each byte follows from its offset. */
export function createGeneratedSound(size: number): { size: number; make: (from: number, to: number) => Buffer } {
  const head = createWavHeader(size - 44)
  return {
    size,
    make(from, to) {
      const bytes = Buffer.allocUnsafe(to - from)
      for (let offset = from; offset < to; offset += 1) {
        const sample = offset >> 1
        bytes[offset - from] = offset < 44 ? (head[offset] ?? 0) : offset % 2 === 0 ? sample & 255 : (sample >> 8) & 31
      }
      return bytes
    },
  }
}

function createWavHeader(size: number): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + size, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(SAMPLE_RATE_HZ, 24)
  head.writeUInt32LE(SAMPLE_RATE_HZ * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(size, 40)
  return head
}
