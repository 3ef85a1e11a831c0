pub struct F;
