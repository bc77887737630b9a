import type { JsonObject } from '../chat-types.js';

/*
 * The body of `models.generateContent` as REST takes it: https://ai.google.dev/api/generate-content. A test holds these
 * types against Google's own SDK.
 */

export interface GeminiRequestBody {
  readonly contents: readonly GeminiContent[];
  readonly systemInstruction?: { readonly parts: readonly GeminiTextPart[] };
  readonly tools?: readonly [{ readonly functionDeclarations: readonly GeminiFunctionDeclaration[] }];
  readonly toolConfig?: { readonly functionCallingConfig: GeminiFunctionCallingConfig };
  readonly generationConfig?: GeminiGenerationConfig;
}

export interface GeminiContent {
  readonly role: 'user' | 'model';
  readonly parts: readonly GeminiPart[];
}

export type GeminiPart = GeminiTextPart | GeminiDataPart | GeminiFunctionCallPart | GeminiFunctionResponsePart;

export interface GeminiTextPart {
  readonly text: string;
}

export interface GeminiDataPart {
  readonly inlineData: { readonly mimeType: string; readonly data: string };
}

export interface GeminiFunctionCallPart {
  readonly functionCall: { readonly id: string; readonly name: string; readonly args: Record<string, unknown> };
  readonly thoughtSignature?: string;
}

export interface GeminiFunctionResponsePart {
  readonly functionResponse: {
    readonly id: string;
    readonly name: string;
    readonly response: { readonly output: unknown };
  };
}

/** Holds either `parameters` or `parametersJsonSchema`, or neither for a function without parameters. */
export interface GeminiFunctionDeclaration {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: GeminiSchema;
  readonly parametersJsonSchema?: JsonObject;
}

export interface GeminiFunctionCallingConfig {
  readonly mode: 'AUTO' | 'NONE' | 'ANY' | 'VALIDATED';
  readonly allowedFunctionNames?: readonly string[];
}

export type GeminiThinkingLevel = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH';

export interface GeminiThinkingConfig {
  readonly includeThoughts: boolean;
  readonly thinkingBudget?: number;
  readonly thinkingLevel?: GeminiThinkingLevel;
}

export interface GeminiGenerationConfig {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  readonly responseMimeType?: 'application/json';
  readonly responseSchema?: GeminiSchema;
  readonly responseJsonSchema?: JsonObject;
  readonly thinkingConfig?: GeminiThinkingConfig;
  readonly mediaResolution?: 'MEDIA_RESOLUTION_LOW' | 'MEDIA_RESOLUTION_HIGH';
}

export type GeminiSchemaType = 'STRING' | 'NUMBER' | 'INTEGER' | 'BOOLEAN' | 'ARRAY' | 'OBJECT' | 'NULL';

/** The part of OpenAPI's schema that the older models take. Counts are texts, as Google's 64-bit integers are. */
export interface GeminiSchema {
  type?: GeminiSchemaType;
  format?: string;
  title?: string;
  description?: string;
  nullable?: boolean;
  enum?: string[];
  properties?: Record<string, GeminiSchema>;
  required?: string[];
  items?: GeminiSchema;
  anyOf?: GeminiSchema[];
  minItems?: string;
  maxItems?: string;
  minLength?: string;
  maxLength?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
}
