export interface OrrerySettings {
  /** Directory to keep the data in; by default it is in memory. */
  data?: string;
  /** Account key in base64; by default the public key of the emulators. */
  key?: string;
  /** Refuse requests that exceed a container's throughput with 429, as the service does. */
  throttle?: boolean;
  /** More options of `orrery serve`. */
  options?: readonly string[];
  /** How long to wait for the server to start; 30,000 by default. */
  timeoutMs?: number;
  /** Another program than the one in this package. */
  program?: string;
}

/** A running server. Close it; otherwise it ends with this process. */
export interface OrreryServer {
  /** For SDKs: plain HTTP, so that they need not trust a certificate. */
  readonly endpoint: string;
  /** The same server with HTTPS; `certificate()` is the authority that has signed its certificate. */
  readonly secureEndpoint: string;
  readonly port: number;
  readonly key: string;
  readonly connectionString: string;
  /** What the server has printed so far. */
  readonly log: string;
  /** The certificate that clients of `secureEndpoint` have to trust, PEM. */
  certificate(): Promise<string>;
  /** Stops the server and forgets what it kept in memory. May be called again. */
  close(): Promise<void>;
}

/** Starts a server on a free port, in memory unless `data` names a directory. */
export function startOrrery(settings?: OrrerySettings): Promise<OrreryServer>;

/** The public key of Microsoft's emulators, the default of a server on loopback. */
export const EMULATOR_KEY: string;

/** The path of the program `orrery` in this package. */
export const PROGRAM: string;
